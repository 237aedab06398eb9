// The sandbox runs in the shop's tab, and the bank's page is another tab. The two communicate by a BroadcastChannel.

/** Calls the sandbox's control API. */
export type Control = (method: string, path: string, body?: unknown) => Promise<Response>;

interface ControlRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
}

interface ControlResponse {
  readonly responseTo: string;
  readonly json: unknown;
}

const channelName = 'pay-invoice bank';
const timeoutMs = 10_000;

const isRequest = (data: unknown): data is ControlRequest =>
  typeof data === 'object' && data !== null && 'requestId' in data;
const isResponse = (data: unknown): data is ControlResponse =>
  typeof data === 'object' && data !== null && 'responseTo' in data;

/** Responds to the requests of bank tabs for invoices of this tab. Other requests get no response. */
export function respondToBankTabs(control: Control): void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isRequest(data) || !data.path.startsWith('invoices')) return;
    void control(data.method, data.path).then(async (response) => {
      if (!response.ok) return;
      const message: ControlResponse = { responseTo: data.requestId, json: await response.json() };
      channel.postMessage(message);
    });
  });
}

/** Sends a request to all shop tabs. Resolves with the JSON of the tab that has the invoice; undefined after 10 s. */
export function requestFromShopTabs(method: string, path: string): Promise<unknown> {
  const channel = new BroadcastChannel(channelName);
  const request: ControlRequest = { requestId: String(crypto.getRandomValues(new Uint32Array(2))), method, path };
  return new Promise<unknown>((resolve) => {
    setTimeout(() => resolve(undefined), timeoutMs);
    channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (isResponse(data) && data.responseTo === request.requestId) resolve(data.json);
    });
    channel.postMessage(request);
  }).finally(() => channel.close());
}
