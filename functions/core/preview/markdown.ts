import { clean, redact, safeLine } from '../text/safe-text.ts';

/** Text from pull requests and clusters is untrusted: these functions turn it into inert GitHub Markdown. */

/** A name as inline code: neither a link nor a mention. Backticks in it become apostrophes. */
export function code(text: string, limit = 200): string {
  const shown = safeLine(text, limit).replaceAll('`', "'").replaceAll('|', '¦');
  return `\`${shown === '' ? ' ' : shown}\``;
}

/** A sentence without markup, HTML, links or mentions. Names that we put in backticks stay code. */
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
      .replace(/(?<![A-Za-z0-9])(www)\./gi, `$1.${emptiness}`)
      // `GH-26` is a link to number 26.
      .replace(/\b(GH)-(?=\d)/gi, `$1-${emptiness}`)
      .replace(/^(\s*)([-+#=]|\d+[.)])/, `$1${emptiness}$2`)
  );
}

/** Lines as they are, in a fenced block that none of them can close. */
export function fenced(lines: readonly string[], language: string): string {
  const body = lines.map((line) => redact(clean(line).replaceAll('\n', ' ')));
  const longest = Math.max(2, ...body.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}${language}`, ...body, fence].join('\n');
}
