/** A request as a server gets it: its body can be read as a stream, also where the browser gives requests none. */
export function requestOf(input: RequestInfo | URL, init: RequestInit = {}): Request {
  const request = new Request(input, init);
  if (typeof init.body === 'string' && !(request.body instanceof ReadableStream))
    Object.defineProperty(request, 'body', { value: new Response(init.body).body });
  return request;
}
