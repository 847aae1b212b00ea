import type {
  Block,
  Mrkdwn,
  RichText,
  RichTextRun,
  Section,
} from '../../../../functions/core/alerts/message/slack-blocks.ts';
import { escapeHtml } from '../../../../functions/core/text/escape-html.ts';

/** Slack's blocks as a page that looks like a channel, for people to look at. Not Slack's own renderer. */
export function slackPage(
  messages: readonly { readonly blocks: readonly Block[]; readonly thread: boolean }[],
): string {
  const shown = messages.map(
    ({ blocks, thread }) => `<div class="message${thread ? ' thread' : ''}"><div class="face">PK</div><div class="body">
<div class="who"><b>Poolkeeper</b> <span class="app">APP</span> <span class="time">2:02 PM</span></div>
${blocks.map(blockOf).join('\n')}
</div></div>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Slack look-alike</title><style>
:root { color-scheme: light dark; --ink:#1d1c1d; --soft:#616061; --paper:#fff; --line:#dddddd; --code:#e01e5a; --codebg:#f6f6f6; }
@media (prefers-color-scheme: dark) { :root { --ink:#d1d2d3; --soft:#ababad; --paper:#1a1d21; --line:#3b3d42; --code:#e8912d; --codebg:#232529; } }
body { margin:0; padding:16px; background:var(--paper); color:var(--ink); font:15px/22px Lato,'Noto Sans',Helvetica,Arial,sans-serif; }
.message { display:flex; gap:8px; max-width:680px; margin-bottom:18px; }
.thread { margin-left:44px; max-width:636px; }
.face { flex:none; width:36px; height:36px; border-radius:6px; background:#2563b0; color:#fff; font-weight:700; text-align:center; line-height:36px; font-size:14px; }
.body { flex:1; min-width:0; overflow-wrap:anywhere; }
.app { font-size:10px; background:var(--line); color:var(--soft); padding:1px 4px; border-radius:2px; vertical-align:2px; }
.time { font-size:12px; color:var(--soft); }
h1 { font-size:18px; line-height:24px; margin:4px 0 8px; }
section, .fields, .rich, .context { margin:8px 0; }
.fields { display:grid; grid-template-columns:1fr 1fr; gap:8px 16px; }
@media (max-width: 480px) { .fields { grid-template-columns:1fr; } }
ol { margin:0; padding-left:28px; }
pre { margin:0; padding:8px; background:var(--codebg); border:1px solid var(--line); border-radius:4px; font:12px/18px Menlo,Consolas,'Noto Sans Mono',monospace; white-space:pre-wrap; overflow-wrap:anywhere; }
code { color:var(--code); background:var(--codebg); border:1px solid var(--line); border-radius:3px; padding:1px 3px; font:12px Menlo,Consolas,'Noto Sans Mono',monospace; }
.context { font-size:12px; line-height:18px; color:var(--soft); }
a { color:#1264a3; } @media (prefers-color-scheme: dark) { a { color:#1d9bd1; } }
.button { margin:2px 0; display:inline-block; border:1px solid var(--line); border-radius:4px; padding:4px 12px; font-weight:700; font-size:14px; }
section { overflow:hidden; } .beside { float:right; margin-left:12px; }
</style></head><body>
${shown.join('\n')}
</body></html>
`;
}

function blockOf(block: Block): string {
  switch (block.type) {
    case 'header':
      return `<h1>${escapeHtml(block.text.text)}</h1>`;
    case 'section':
      return `${block.text === undefined ? '' : `<section>${buttonBeside(block)}${mrkdwnOf(block.text)}</section>`}${
        block.fields === undefined
          ? ''
          : `<div class="fields">${block.fields.map((each) => `<div>${mrkdwnOf(each)}</div>`).join('')}</div>`
      }`;
    case 'context':
      return `<div class="context">${block.elements.map(mrkdwnOf).join(' ')}</div>`;
    case 'actions':
      return block.elements
        .map((each) => escapeHtml(each.type === 'button' ? each.text.text : `${each.placeholder.text} ▾`))
        .map((text) => `<span class="button">${text}</span>`)
        .join(' ');
    case 'rich_text':
      return `<div class="rich">${richOf(block)}</div>`;
    default:
      return block satisfies never;
  }
}

function buttonBeside({ accessory }: Section): string {
  return accessory === undefined ? '' : `<span class="button beside">${escapeHtml(accessory.text.text)}</span>`;
}

function richOf({ elements }: RichText): string {
  return elements
    .map((element) => {
      switch (element.type) {
        case 'rich_text_preformatted':
          return `<pre>${runsOf(element.elements)}</pre>`;
        case 'rich_text_section':
          return `<div>${runsOf(element.elements)}</div>`;
        case 'rich_text_list':
          return `<ol>${element.elements.map((item) => `<li>${runsOf(item.elements)}</li>`).join('')}</ol>`;
        default:
          return element satisfies never;
      }
    })
    .join('');
}

function runsOf(runs: readonly RichTextRun[]): string {
  return runs.map(({ text, style }) => (style?.bold ? `<b>${escapeHtml(text)}</b>` : escapeHtml(text))).join('');
}

/** Escaped entities stay as they are; only the markup that our own builder writes is turned into HTML. */
function mrkdwnOf({ text }: Mrkdwn): string {
  return text
    .replace(/<(https?:[^|>]+)\|([^>]*)>/g, '<a href="$1">$2</a>')
    .replace(/<!date\^\d+\^[^|>]*\|([^>]*)>/g, '$1')
    .replace(/`([^`\n]+)`/g, '<code>$1</code>')
    .replace(/(^|[\s(])\*([^*\n]+)\*/g, '$1<b>$2</b>')
    .replace(/(^|\s)_([^_\n]+)_/g, '$1<i>$2</i>')
    .replaceAll('\n', '<br>');
}
