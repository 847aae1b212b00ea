/** The representation that the caller prefers: HTML unless JSON is preferred to it. Browsers send `text/html` first;
 *  `curl` and others send anything at all. */
export function wantedForm(accept: string | null): 'html' | 'json' {
  if (accept === null) return 'html';
  return quality(accept, ['application/json', 'application/*']) > quality(accept, ['text/html', 'text/*'])
    ? 'json'
    : 'html';
}

/** Whether the caller takes an answer in gzip. Whoever says nothing of it may not know it. */
export function takesGzip(acceptEncoding: string | null): boolean {
  return quality(acceptEncoding ?? '', ['gzip', '*']) > 0;
}

/** Quality value of the most specific of `ranges` in the header; 0 if none is there. A bare wildcard weighs the same
 *  for every type and decides nothing. Source: RFC 9110 section 12.5.1. */
function quality(accept: string, ranges: readonly string[]): number {
  const entries = accept.split(',').map((entry) => {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const q = Number(weight ?? 1);
    return { range, q: Number.isFinite(q) ? q : 0 };
  });
  for (const range of ranges) {
    const entry = entries.find((each) => each.range === range);
    if (entry !== undefined) return entry.q;
  }
  return 0;
}
