/** Paths as Go's path/filepath treats them on Unix, because Argo CD compares these. */

/** The shortest equivalent path: no doubled slashes, no `.`, no `..` except at the start of a relative one. Empty
 *  becomes `.`. */
export function cleanPath(path: string): string {
  if (!needsCleaning(path)) return path;
  const isAbsolute = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isAbsolute) kept.push('..');
  }
  return (isAbsolute ? '/' : '') + kept.join('/') || '.';
}

function needsCleaning(path: string): boolean {
  return path === '' || /\/\/|\/$|(?:^|\/)\.\.?(?:\/|$)/.test(path);
}

export function joinPath(a: string, b: string): string {
  if (a === '' || b === '') return a + b === '' ? '' : cleanPath(a + b);
  return cleanPath(`${a}/${b}`);
}

/** From the root of the repository, without a leading slash; empty: the root. A path that would leave the repository
 *  stays in it. */
export function fromRoot(path: string): string {
  return cleanPath(`/${path}`).slice(1);
}

/** Go matches bytes: one character for each byte of the text's UTF-8. */
export function bytesOf(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}
