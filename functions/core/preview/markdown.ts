import { clean, redact, safeLine } from '../text/safe-text.ts';

/** Text from pull requests and clusters is untrusted: here it becomes GitHub Markdown that says it and does nothing
 *  else. */

/** A name as code: inert, neither a link nor a mention. Ticks in it become apostrophes. */
export function code(text: string, limit = 200): string {
  const shown = safeLine(text, limit).replaceAll('`', "'").replaceAll('|', '¦');
  return `\`${shown === '' ? ' ' : shown}\``;
}

/** A sentence: no markup, no HTML, no link, and nobody is mentioned. Names that we put between ticks stay code. */
export function plain(text: string, limit = 600): string {
  return safeLine(text, limit)
    .split(/(`[^`]*`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? code(part.slice(1, -1), limit) : inert(part)))
    .join('');
}

const emptiness = '\u200b';

function inert(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replace(/[\\`*_{}[\]()~|!]/g, String.raw`\$&`)
      // Mentions, numbers of issues and addresses are found in the finished text, so that no escape helps.
      .replace(/[@#](?=\w)/g, `$&${emptiness}`)
      .replace(/(?<=\w):(?=\/\/)/g, `:${emptiness}`)
      .replace(/\b(www)\./gi, `$1.${emptiness}`)
      .replace(/^(\s*)([-+#=]|\d+[.)])/, `$1${emptiness}$2`)
  );
}

/** Lines as they are, in a block that none of them can end. */
export function fenced(lines: readonly string[], language: string): string {
  const body = lines.map((line) => redact(clean(line).replaceAll('\n', ' ')));
  const longest = Math.max(2, ...body.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, ...body, fence].join('\n');
}
