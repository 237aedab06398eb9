// A Vite plugin of the standalone build: gives a lazy chunk what it shares with the entry without an import of the entry's URL.
import { createHash } from 'node:crypto';
import type { Plugin, Rolldown } from 'vite';

const entryImportPattern = (entry: string): RegExp =>
  new RegExp(`import ?\\{([^}]*)\\} ?from ?"\\./${entry.replace('.', '\\.')}";`);
const finalExportPattern = /export ?\{([^}]*)\};?\s*(?=\/\/# sourceMappingURL|$)/;

/** Parses `a as b, c` into pairs of names. */
const parseNamePairs = (names: string): (readonly [from: string, to: string])[] =>
  names
    .split(',')
    .filter((name) => name.trim() !== '')
    .map((name) => {
      const [from = '', to = from] = name.trim().split(/ as /);
      return [from, to];
    });

/** Replaces the chunk's import of the entry with a read of the global object. The text keeps its length for the source map. */
function readSharedValues(chunk: Rolldown.OutputChunk, statement: string, names: string, globalName: string): void {
  const readStatement = `const{${parseNamePairs(names)
    .map(([from, to]) => (from === to ? from : `${from}:${to}`))
    .join(',')}}=${globalName};`;
  if (readStatement.length > statement.length)
    throw new Error(`${chunk.fileName}: too little is shared to keep the source map`);
  chunk.code = chunk.code.replace(statement, () => readStatement.padEnd(statement.length));
}

/**
 * A page may load the entry from any URL: with a query, or through a redirect of a CDN. A chunk that imported the entry by its
 * name would then load it a second time, Lit included. Instead, the entry puts what its chunks share into a global object, whose
 * name is that of this build, unless a copy of the same build has done so. Its exports stay those of its source.
 */
export function shareEntryWithChunks(): Plugin {
  return {
    name: 'share-entry-with-chunks',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const entry = chunks.find(({ isEntry }) => isEntry);
      if (!entry) throw new Error('no entry');
      const hash = createHash('sha256').update(entry.code).digest('hex').slice(0, 8);
      // The name must be short, because it replaces the text of an import. It has a space, so that no identifier equals it.
      const globalName = `self["pi ${hash}"]`;
      const sharedNames = new Set<string>();
      for (const chunk of chunks) {
        const [statement, names = ''] = entryImportPattern(entry.fileName).exec(chunk.code) ?? [];
        if (statement !== undefined) {
          for (const [from] of parseNamePairs(names)) sharedNames.add(from);
          readSharedValues(chunk, statement, names, globalName);
        }
        if (/\bimport ?[{*"]|\bfrom ?"\.\//.test(chunk.code))
          throw new Error(`${chunk.fileName}: imports a file statically`);
      }
      const [statement = '', names = ''] = finalExportPattern.exec(entry.code) ?? [];
      const exportedPairs = parseNamePairs(names);
      const ownExports = exportedPairs.filter(([, to]) => !sharedNames.has(to)).map(([from, to]) => `${from} as ${to}`);
      const sharedMembers = exportedPairs.filter(([, to]) => sharedNames.has(to)).map(([from, to]) => `${to}:${from}`);
      if (sharedMembers.length !== sharedNames.size) throw new Error('the entry does not export what its chunks share');
      entry.code = entry.code.replace(
        statement,
        () => `${globalName}??={${sharedMembers.join(',')}};export{${ownExports.join(',')}};\n`,
      );
    },
  };
}
