// Browsers read the body of a Request, a Response or a Blob in tasks, Node in microtasks. The simulator moves its clock when all
// microtasks have run, so in a page it needs bodies that are read as in Node.

type Bytes = Uint8Array<ArrayBuffer>;
type Stream = ReadableStream<Bytes>;

function streamOf(body: BodyInit | null | undefined): Stream | null {
  if (body === null || body === undefined) return null;
  if (body instanceof ReadableStream) return body;
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  if (!(bytes instanceof Uint8Array)) throw new TypeError('the simulator sends texts and bytes only');
  return new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(new Uint8Array(bytes));
      controller.close();
    },
  });
}

async function readBytes(stream: Stream | null): Promise<Bytes> {
  const reader = stream?.getReader();
  const parts: Bytes[] = [];
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) parts.push(part.value);
  return joinBytes(parts);
}

function joinBytes(parts: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  parts.reduce((offset, part) => {
    bytes.set(part, offset);
    return offset + part.byteLength;
  }, 0);
  return bytes;
}

class MicrotaskRequest extends Request {
  readonly #body: Stream | null;

  constructor(input: RequestInfo | URL, init: RequestInit = {}) {
    super(input, init);
    this.#body = init.body === undefined && input instanceof Request ? input.body : streamOf(init.body);
  }

  override get body(): Stream | null {
    return this.#body;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return (await readBytes(this.#body)).buffer;
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(await this.arrayBuffer());
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

class MicrotaskResponse extends Response {
  #body: Stream | null;

  constructor(body?: BodyInit | null, init?: ResponseInit) {
    super(body instanceof ReadableStream ? null : body, init);
    this.#body = streamOf(body);
  }

  static override json(value: unknown, init: ResponseInit = {}): Response {
    const headers = new Headers(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    return new MicrotaskResponse(JSON.stringify(value), { ...init, headers });
  }

  override get body(): Stream | null {
    return this.#body;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return (await readBytes(this.#body)).buffer;
  }

  override async text(): Promise<string> {
    return new TextDecoder().decode(await readBytes(this.#body));
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  override clone(): Response {
    const [own, copy] = this.#body?.tee() ?? [null, null];
    this.#body = own;
    return new MicrotaskResponse(copy, this);
  }
}

class MicrotaskBlob extends Blob {
  readonly #parts: readonly Bytes[];

  constructor(parts: BlobPart[] = [], options?: BlobPropertyBag) {
    super(parts, options);
    this.#parts = parts.filter((part) => part instanceof Uint8Array).map((part) => new Uint8Array(part));
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(joinBytes(this.#parts).buffer);
  }
}

/** From this call on, the page's requests and responses are read in microtasks. They can have texts and bytes only. */
export function readBodiesInMicrotasks(): void {
  Object.assign(globalThis, { Request: MicrotaskRequest, Response: MicrotaskResponse, Blob: MicrotaskBlob });
}
