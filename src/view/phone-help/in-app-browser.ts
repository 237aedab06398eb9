/**
 * The browsers inside other apps, by what they say of themselves: Telegram, VK, Instagram, Facebook, any Android WebView
 * (`; wv)`), and any web view of iOS, which does not call itself Safari. They ignore downloads, and often links to other apps.
 */
const inAppBrowser = /Telegram|VKAndroidApp|vkclient|Instagram|FBA[NV]|; wv\)|iP(?:hone|ad)(?!.*Safari)/i;

/** Whether the page is shown by a browser inside another app. Telegram on iOS shows itself only by its objects. */
export const isInAppBrowser = (): boolean =>
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
