import { quietZone, type QrImage } from '../base/qr-modules.ts';

// A lazily loaded file, needed only after a click: saves the QR code, and links from an in-app browser to the phone's browser.

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

function drawPng({ size, path }: QrImage): HTMLCanvasElement {
  const scale = Math.ceil(640 / size);
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = (size + 2 * quietZone) * scale;
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, quietZone * scale, quietZone * scale);
  context.fillStyle = '#000';
  context.fill(new Path2D(path));
  return canvas;
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
  const canvas = drawPng(image);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (blob === null) return '';
  const file = new File([blob], `${name}.png`, { type: blob.type });
  if (await shareFile(file)) return undefined;
  if (isInAppBrowser()) return findShowableUrl(canvas.toDataURL(), URL.createObjectURL(file));
  downloadFile(file);
  return undefined;
}
