// Takes the pictures of the documents, into docs/pictures or another folder: `npm run pictures [-- folder]`. Always in the
// Chromium that comes with `npm ci`, in which the long test compares them: another build draws other pixels.
import { mkdir, writeFile } from 'node:fs/promises';

process.env['CHROME_PATH'] = 'bundled';
const { takeDocumentPictures } = await import('../test/visual/document-pictures.ts');

const folder = process.argv[2] ?? 'docs/pictures';
await mkdir(folder, { recursive: true });
for (const [name, picture] of await takeDocumentPictures()) {
  await writeFile(`${folder}/${name}.webp`, picture);
  console.log(`${folder}/${name}.webp: ${picture.length} bytes`);
}
