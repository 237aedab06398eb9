import type { QrImage } from '../qr/qr-drawing.ts';

// A lazily loaded file with what a payer needs only after a click: saving the QR code, and the way out of an in-app browser.

/**
 * The browsers inside other apps, by what they say of themselves: Telegram, VK, Instagram, Facebook, any Android WebView
 * (`; wv)`), and any web view of iOS, which does not call itself Safari. They ignore downloads, and often links to other apps.
 */
const inAppBrowser = /Telegram|VKAndroidApp|vkclient|Instagram|FBA[NV]|; wv\)|iP(?:hone|ad)(?!.*Safari)/i;

/** Whether the page is shown by a browser inside another app. Telegram on iOS shows itself only by its objects. */
const isInAppBrowser = (): boolean =>
  inAppBrowser.test(navigator.userAgent) || 'TelegramWebviewProxy' in window || 'TelegramWebviewProxyProto' in window;

/**
 * A link that opens the same page in the browser of an Android phone; undefined where there is none. It leads to
 * `phoneUrl` if that is on the page's own origin, else to the page.
 */
export function openInBrowserUrl(page: string, phoneUrl: string | undefined): string | undefined {
  if (!isInAppBrowser() || !navigator.userAgent.includes('Android')) return undefined;
  const here = new URL(page);
  const there = phoneUrl === undefined ? here : new URL(phoneUrl);
  const { protocol, href } = there.origin === here.origin ? there : here;
  if (!/^https?:$/.test(protocol)) return undefined;
  return `intent:${href.slice(protocol.length)}#Intent;scheme=${protocol.slice(0, -1)};action=android.intent.action.VIEW;end`;
}

/** A browser may read a download's address late; this long after the click it has, in ms. */
const downloadMs = 60_000;

function drawPng({ size, quietZone, path }: QrImage): HTMLCanvasElement {
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

/** Offers the file to the device's share menu. Resolves with false where it has none for files, or refuses. */
async function share(file: File): Promise<boolean> {
  const data = { files: [file] };
  try {
    if (!('canShare' in navigator) || !navigator.canShare(data)) return false;
    await navigator.share(data);
    return true;
  } catch (thrown) {
    return thrown instanceof DOMException && thrown.name === 'AbortError'; // The payer has closed the menu.
  }
}

function download(file: File): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), downloadMs);
}

/** The first of the addresses that the page's policy lets be shown as a picture; '' when it forbids all. */
async function showable(...urls: readonly string[]): Promise<string> {
  for (const url of urls) {
    const image = new Image();
    image.src = url;
    try {
      await image.decode();
      return url;
    } catch {
      // Refused by the policy: the next one is tried.
    }
  }
  return '';
}

/**
 * Saves a QR code as a PNG file, with its quiet zone: by the device's share menu, else as a download. Browsers inside other
 * apps ignore downloads: there it resolves with the address of a picture that the payer can press long, or with '' where the
 * page's policy allows none and a screenshot is what remains. Resolves with undefined when the file was handed over.
 */
export async function saveQr(image: QrImage, name: string): Promise<string | undefined> {
  const canvas = drawPng(image);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  if (blob === null) return '';
  const file = new File([blob], `${name}.png`, { type: blob.type });
  if (await share(file)) return undefined;
  if (isInAppBrowser()) return showable(canvas.toDataURL(), URL.createObjectURL(file));
  download(file);
  return undefined;
}
