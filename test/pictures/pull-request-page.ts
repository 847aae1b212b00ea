import { marked } from 'marked';
import { escapeHtml } from '../../functions/core/text/escape-html.ts';
import { changing, chrony, predict } from '../functions/preview-changes/pull-world.ts';

/** The commit status and the comment on a pull request of two time servers, as GitHub shows them. The texts are the
 *  product's; GitHub's own renderer is imitated. */
export async function pullRequestPage(): Promise<string> {
  const { comment, status } = await predict({
    files: changing(chrony('pool old\n'), chrony('pool time.example.com iburst\nmakestep 1.0 3\n')),
    reboots: [540, 600, 610, 580, 620, 590, 605, 640],
  });
  // The first of the details is open, as after a click.
  const html = (await marked.parse(comment)).replace('<details>', '<details open>');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>GitHub look-alike</title><style>
:root { color-scheme: light dark; --ink:#1f2328; --soft:#59636e; --paper:#fff; --head:#f6f8fa; --line:#d1d9e0; --code:#818b981f; --minus:#ffebe9; --plus:#dafbe1; }
@media (prefers-color-scheme: dark) { :root { --ink:#f0f6fc; --soft:#9198a1; --paper:#0d1117; --head:#151b23; --line:#3d444d; --code:#656c7633; --minus:#f851491a; --plus:#2ea04326; } }
body { margin:0; padding:16px; background:var(--paper); color:var(--ink); font:14px/1.5 'Noto Sans',Helvetica,Arial,sans-serif; }
.check, .comment { border:1px solid var(--line); border-radius:6px; }
.check { padding:10px 16px; margin-bottom:16px; } .check b { margin-right:6px; } .check span, .who span { color:var(--soft); }
.who { padding:8px 16px; background:var(--head); border-bottom:1px solid var(--line); border-radius:6px 6px 0 0; }
.body { padding:4px 16px 12px; }
h3 { font-size:1.25em; margin:16px 0 8px; } p, table, details { margin:0 0 12px; }
table { border-collapse:collapse; } th, td { border:1px solid var(--line); padding:6px 13px; } th { font-weight:600; }
code { background:var(--code); border-radius:6px; padding:.2em .4em; font:85%/1.45 Menlo,Consolas,'Noto Sans Mono',monospace; }
pre { background:var(--head); border-radius:6px; padding:12px; } pre code { background:none; padding:0; }
.minus { background:var(--minus); } .plus { background:var(--plus); } sub { color:var(--soft); vertical-align:baseline; font-size:12px; }
</style></head><body>
<div class="check"><b>✓ poolkeeper/impact</b> <span>${escapeHtml(status)}</span></div>
<div class="comment"><div class="who"><b>poolkeeper</b> <span>bot commented</span></div><div class="body">
${html.replaceAll(/<code class="language-diff">([^<]*)<\/code>/g, (_, diff: string) => `<code>${colouredDiff(diff)}</code>`)}
</div></div></body></html>
`;
}

function colouredDiff(escaped: string): string {
  const kinds: Readonly<Record<string, string>> = { '-': 'minus', '+': 'plus' };
  return escaped
    .split('\n')
    .map((line) => `<span class="${kinds[line.charAt(0)] ?? 'same'}">${line}</span>`)
    .join('\n');
}
