import { quietZone, type QrImage } from '../base/qr-modules.ts';

// Needed only after a click: saves the QR code, and links from an in-app browser to the phone's browser.

/**
 * Matches the user agents of browsers inside other apps: Telegram, VK, Instagram, Facebook, any Android WebView (`; wv)`),
 * and any iOS web view (no "Safari"). They ignore downloads, and often links to other apps.
 */
const inAppBrowser = /Telegram|VKAndroidApp|vkclient|Instagram|FBA[NV]|; wv\)|iP(?:hone|ad)(?!.*Safari)/i;

/** Whether a browser inside another app shows the page. Telegram on iOS can be detected only by its global objects. */
const isInAppBrowser = (): boolean =>
  inAppBrowser.test(navigator.userAgent) || 'TelegramWebviewProxy' in window || 'TelegramWebviewProxyProto' in window;

/**
 * In an in-app browser on Android: a link that opens `phoneUrl` (if it is on the page's own origin, else the page) in the
 * phone's browser. Elsewhere, and for a page that was not loaded over HTTP, undefined.
 */
export function openInBrowserUrl(page: string, phoneUrl: string | undefined): string | undefined {
  if (!isInAppBrowser() || !navigator.userAgent.includes('Android')) return undefined;
  const pageUrl = new URL(page);
  const targetUrl = phoneUrl === undefined ? pageUrl : new URL(phoneUrl);
  const { protocol, href } = targetUrl.origin === pageUrl.origin ? targetUrl : pageUrl;
  if (!/^https?:$/.test(protocol)) return undefined;
  return `intent:${href.slice(protocol.length)}#Intent;scheme=${protocol.slice(0, -1)};action=android.intent.action.VIEW;end`;
}

/** How long a download's URL stays valid, in ms: a browser may read it some time after the click. */
const downloadLifetimeMs = 60_000;

/** The checksum of PNG. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320);
  }
  return ~crc >>> 0;
}

function pngChunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(data.length + 12);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  chunk.set(new TextEncoder().encode(type), 4);
  chunk.set(data, 8);
  view.setUint32(data.length + 8, crc32(chunk.subarray(4, -4)));
  return chunk;
}

/**
 * A QR code as PNG with one bit for each pixel. It is not read back from a canvas, where browsers that protect against
 * fingerprinting return noise.
 */
async function encodePng({ size, isDark }: QrImage): Promise<Uint8Array<ArrayBuffer>> {
  const scale = Math.ceil(640 / size);
  const side = (size + 2 * quietZone) * scale;
  const rowBytes = 1 + Math.ceil(side / 8); // The first byte of a row says that the row is not filtered.
  const rows = new Uint8Array(rowBytes * side);
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) {
      const [column = 0, row = 0] = [x, y].map((pixel) => Math.floor(pixel / scale) - quietZone);
      const isInside = Math.min(column, row) >= 0 && Math.max(column, row) < size;
      const byte = y * rowBytes + 1 + (x >> 3);
      if (!isInside || !isDark(row * size + column)) rows[byte] = (rows[byte] ?? 0) | (128 >> (x & 7));
    }
  const zlib = new Blob([rows]).stream().pipeThrough(new CompressionStream('deflate'));
  const header = new Uint8Array([0, 0, side >> 8, side & 255, 0, 0, side >> 8, side & 255, 1, 0, 0, 0, 0]);
  const chunks = [
    new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', new Uint8Array(await new Response(zlib).arrayBuffer())),
    pngChunk('IEND', new Uint8Array()),
  ];
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Opens the device's share menu for a file. Resolves with false where there is none for files, or it fails. */
async function shareFile(file: File): Promise<boolean> {
  const data = { files: [file] };
  try {
    if (!('canShare' in navigator) || !navigator.canShare(data)) return false;
    await navigator.share(data);
    return true;
  } catch (thrown) {
    return thrown instanceof DOMException && thrown.name === 'AbortError'; // The payer has closed the menu.
  }
}

function downloadFile(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), downloadLifetimeMs);
}

/** The first of the URLs that the page's security policy allows for images; '' when it forbids all. */
async function findShowableUrl(...urls: readonly string[]): Promise<string> {
  for (const url of urls) {
    const image = new Image();
    image.src = url;
    try {
      await image.decode();
      return url;
    } catch {
      // The policy forbids this URL: the next one is tried.
    }
  }
  return '';
}

/**
 * Saves a QR code as a PNG file, with its quiet zone: by the device's share menu, else as a download. Resolves with undefined
 * when the file was shared or downloaded. Browsers inside other apps ignore downloads: there it resolves with the URL of an
 * image that the payer can press and hold, or with '' where no image can be shown.
 */
export async function saveQr(image: QrImage, name: string): Promise<string | undefined> {
  const png = await encodePng(image);
  const file = new File([png], `${name}.png`, { type: 'image/png' });
  if (await shareFile(file)) return undefined;
  if (isInAppBrowser())
    return findShowableUrl(`data:image/png;base64,${btoa(String.fromCharCode(...png))}`, URL.createObjectURL(file));
  downloadFile(file);
  return undefined;
}
