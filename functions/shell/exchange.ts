/** A request as handlers need it. A web `Request` is one. Those who serve hand over a `PlainRequest`: to make a Request
 *  with its headers and its stream, and a Response, costs as much as verifying and parsing a push. */
export interface WebRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  /** The chunks of the body; null: there is none. */
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
}

/** Names in any case; null: not sent. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'> & Iterable<[string, string]>;

/** What a handler answers: with JSON a `PlainAnswer`, with anything else a Response. */
export type WebAnswer = Response | PlainAnswer;

/** A request whose body has been read. */
export class PlainRequest implements WebRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestHeaders;
  readonly body: readonly Uint8Array[] | null;

  /** @param fields names in lower case */
  constructor(
    { method, url, fields }: { readonly method: string; readonly url: string; readonly fields: Fields },
    body: Uint8Array | undefined,
  ) {
    this.method = method;
    this.url = url;
    this.headers = new PlainHeaders(fields);
    this.body = body === undefined || method === 'GET' || method === 'HEAD' ? null : [body];
  }
}

/** By name in lower case; several values of one name are a list. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

class PlainHeaders implements RequestHeaders {
  readonly #fields: Fields;

  constructor(fields: Fields) {
    this.#fields = fields;
  }

  get(name: string): string | null {
    const value = this.#fields[name.toLowerCase()];
    return typeof value === 'string' ? value : (value?.join(', ') ?? null);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *[Symbol.iterator](): IterableIterator<[string, string]> {
    for (const name of Object.keys(this.#fields)) {
      const value = this.get(name);
      if (value !== null) yield [name, value];
    }
  }
}

/** An answer whose content is a text. It reads like a Response, and is made into bytes by who serves it. */
export class PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly content: string;

  constructor(content: string, { status, fields }: Pick<PlainAnswer, 'status' | 'fields'>) {
    this.status = status;
    this.fields = fields;
    this.content = content;
  }

  get headers(): Headers {
    return new Headers(this.fields);
  }

  async text(): Promise<string> {
    return this.content;
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.content);
  }
}
