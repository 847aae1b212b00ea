/** Real escape sequences of a terminal, and the same as Go's %q or JSON spell them: colours, titles with either end,
 *  character sets. */
const escapes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  /(?:(?:\u001B|\\x1b|\\u001b|\\033)\[|\u009B)[0-9;:?]*[A-Za-z@~]|(?:\u001B|\\x1b|\\u001b|\\033)(?:\][^\u0007\u001B\\]*(?:\u0007|\\a|\u001B\\|\\x1b\\\\)|\([0AB])/gi;

/** What is left of them where one was put into another. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const escapeMarks = /[\u001B\u0080-\u0084\u0086-\u009F]/g;

/** The colours of rpm-ostree and podman taken out, and line ends and quotes that were escaped once too often put
 *  back. */
export function withoutEscapes(text: string): string {
  return text
    .replaceAll(escapes, '')
    .replaceAll(escapeMarks, '')
    .replaceAll(/(?<!\\)\\+(?:r\\*)?n/g, '\n')
    .replaceAll(/(?<!\\)\\+"/g, '"')
    .replaceAll('\r', '\n');
}

/** Bus names and the units of rpm-ostree are words of an error, not names of hosts. */
const notHost = /^rpm-ostree[a-z-]*\.(?:service|socket|target|timer|mount|slice)$|^(?:org|GDBus)\./i;

const names: readonly (readonly [RegExp, string | ((name: string) => string)])[] = [
  [/(?<![a-z])[a-z][a-z+-]{0,30}:\/\/[^\s"'\],)]+/gi, ' URL '],
  [/"\/[^"\n]*"|'\/[^'\n]*'/g, '"PATH"'],
  [
    /(?<![a-z0-9-])[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?::\d{1,5})?\/[\w./-]+(?::[\w.-]+)?(?:@sha\d+:\w*)?/gi,
    ' IMAGE ',
  ],
  [/\bsha\d{3}[:-][0-9a-f]{6,}/gi, ' DIGEST '],
  [/\b[0-9a-f]{12,}\b/gi, ' DIGEST '],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, ' DIGEST '],
  [/(?<![\w/])\/[\w@%+=.,~-]+(?:\/[\w@%+=.,:~-]+)*\/?/g, ' PATH '],
  [/\brendered-[a-z0-9.-]+/gi, ' RENDERED '],
  [/\[[0-9a-f:]{0,40}::[0-9a-f:]{0,40}\](?::\d+)?/gi, ' ADDRESS '],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?/g, ' ADDRESS '],
  [/\b[a-z0-9][\w-]{0,62}(?:\.[a-z0-9][\w-]{0,62})+(?::\d+)?/gi, (name) => (notHost.test(name) ? name : ' NAME ')],
];

/** The words of an error without the names in it: images, digests, paths, hosts and addresses say nothing about the
 *  cause, and any word or number may stand in them. Only this is searched for what an error means. */
export function wordsOf(text: string): string {
  const masked = names.reduce(
    (rest, [pattern, by]) => (typeof by === 'string' ? rest.replaceAll(pattern, by) : rest.replaceAll(pattern, by)),
    text,
  );
  return masked.replaceAll(/\s+/g, ' ').trim();
}

/** Long names cut in their middle, so that a sentence keeps room for what happened: digests first, then the
 *  registry path of images. */
export function withShortNames(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{20,}\b/gi, (digest) => `${digest.slice(0, 8)}...${digest.slice(-4)}`)
    .replaceAll(
      /(?<=(?:^|[\s"'(:])\/{0,2})((?:[\w.-]+\/){2,})([\w.-]+@sha\d+:)/g,
      (_all, path: string, rest: string) => {
        const parts = path.split('/');
        return `${parts[0]}/.../${rest}`;
      },
    );
}
