import { escapeHtml } from '../../text/escape-html.ts';
import { middle } from '../../text/safe-text.ts';
import { type Message, type MessageRemedy, openedWords } from './message.ts';

/** Safe markup: only {@link html} creates it. */
interface Html {
  readonly markup: string;
}

type Part = string | Html | readonly Html[];

/** Escapes every value that is not markup. */
function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = texts.map((text, index) => text + markupOf(parts[index])).join('');
  return { markup };
}

function markupOf(part: Part | undefined): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/** Colours that are readable on white and, in clients that only invert, on black. */
const colours = { FIRING: '#c9252d', RECOVERING: '#b7791f', RESOLVED: '#1f8a4c' } as const;
const calmer = { critical: colours.FIRING, high: colours.FIRING, warning: '#c2560c', info: '#2563b0' } as const;

const sans = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const mono = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,Liberation Mono,monospace';

/** Bytes. Gmail clips a page at 102 kB; this stays far below. */
const pageLimit = 30_000;

/** The HTML part: one table of at most 600 px, inline styles, nothing fetched, readable in dark mode and without the
 *  style block. Long texts are shown in part; the text part has them in full. */
export function mailPage(message: Message, news: readonly string[], now: Date): string {
  for (const share of [1, 0.5, 0.25]) {
    const page = pageOf(shrunk(message, share), news, now);
    if (sizeBytes(page) <= pageLimit) return page;
  }
  return pageOf(shrunk(message, 0.1), news.map(beginning), now);
}

/** UTF-16 units of each news of a page that would be too large. */
const newsInShort = 160;

/** Whom it names stands first. */
function beginning(text: string): string {
  return text.length <= newsInShort ? text : `${text.slice(0, newsInShort - 2).toWellFormed()} …`;
}

function sizeBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function shrunk(message: Message, share: number): Message {
  const cut = (text: string, limit: number) => middle(text, Math.floor(limit * share));
  const some = <T>(items: readonly T[], most: number) => items.slice(0, Math.ceil(most * share));
  const isShort = (command: string | undefined) => (command ?? '').length <= 800 * share;
  return {
    ...message,
    why: cut(message.why, 700),
    chain: some(message.chain, 8).map((text) => cut(text, 500)),
    also: some(message.also, 4).map((text) => cut(text, 300)),
    remedies: some(message.remedies, 6).map((remedy) =>
      isShort(remedy.command) && isShort(remedy.undo) ? remedy : { ...remedy, command: undefined, undo: undefined },
    ),
    evidence: some(message.evidence, 8).map((text) => cut(text, 400)),
    history: message.history.slice(-Math.ceil(6 * share)).map(({ at, text }) => ({ at, text: cut(text, 600) })),
  };
}

function pageOf(message: Message, news: readonly string[], now: Date): string {
  const { state, place, kind, headline, lasting } = message;
  const colour = state === 'FIRING' ? calmer[message.severity] : colours[state];
  const lead = `${state}${state === 'RESOLVED' ? ' after' : ''} ${lasting}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${place}: ${kind}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #16181c !important; }
  .card { background-color: #1f2227 !important; border-color: #3a3f47 !important; }
  .ink { color: #e8eaed !important; }
  .soft { color: #a9b0ba !important; }
  .code { background-color: #16181c !important; color: #e8eaed !important; border-color: #3a3f47 !important; }
  .rule { border-color: #3a3f47 !important; }
  .note { background-color: #3a2f14 !important; color: #f3dfa8 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f3f4f6;">
<div style="display:none;max-height:0;overflow:hidden;">${lead}: ${message.why}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f3f4f6;">
<tr><td align="center" style="padding:16px 8px;">
<table role="presentation" class="card" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;background-color:#ffffff;border:1px solid #d9dce1;border-radius:6px;border-collapse:separate;">
<tr><td style="height:6px;line-height:6px;font-size:0;background-color:${colour};border-radius:5px 5px 0 0;">&nbsp;</td></tr>
<tr><td style="padding:18px 24px 0;${sans};">
<div style="font-size:14px;line-height:20px;"><span style="display:inline-block;background-color:${colour};color:#ffffff;font-weight:700;padding:1px 9px;border-radius:4px;">${state}</span> <span class="soft" style="color:#5b6470;">${state === 'RESOLVED' ? 'after ' : ''}${lasting} · ${place} · ${kind}</span></div>
<div class="ink" style="margin-top:10px;font-size:20px;line-height:27px;font-weight:700;color:#16181c;overflow-wrap:anywhere;">${headline}</div>
${state === 'RESOLVED' ? [] : news.map(paragraph)}
</td></tr>
${notices(message)}
${section(state === 'RESOLVED' ? 'What ended it' : 'Why', [paragraph(message.why), ...message.also.map((each) => paragraph(`• ${each}`))])}
${section('Chain of causes', message.chain.map(step))}
${section('Do this', message.remedies.map(remedy))}
${section('Facts', message.facts.length === 0 ? [] : [facts(message)])}
${section('Evidence', message.evidence.map(evidence))}
${section(
  'What happened',
  message.history.map(({ at, text }) => historyItem(at, text)),
)}
${button(message)}
<tr><td style="height:14px;line-height:14px;font-size:0;">&nbsp;</td></tr>
<tr><td class="soft rule" style="padding:14px 24px 18px;${sans};font-size:12px;line-height:18px;color:#5b6470;border-top:1px solid #e4e7eb;">${footer(message, now)}${links(message)}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`.markup;
}

function section(title: string, rows: readonly Html[]): Html {
  if (rows.length === 0) return html``;
  return html`<tr><td style="padding:14px 24px 0;${sans};">
<div class="soft" style="font-size:12px;line-height:18px;font-weight:700;letter-spacing:.4px;text-transform:uppercase;color:#5b6470;">${title}</div>
${rows}
</td></tr>`;
}

const body = 'margin-top:4px;font-size:15px;line-height:22px;color:#16181c;overflow-wrap:anywhere;';

function paragraph(text: string): Html {
  return html`<div class="ink" style="${body}">${text}</div>
`;
}

function step(text: string, index: number): Html {
  return paragraph(`${index + 1}. ${text}`);
}

function remedy({ title, risk, who, command, undo }: MessageRemedy, index: number): Html {
  return html`<div class="ink" style="${body}margin-top:8px;"><b>${String(index + 1)}. ${title}</b> <span class="soft" style="color:#5b6470;">(${risk}, ${who})</span></div>
${command === undefined ? [] : [code(command)]}${undo === undefined ? [] : [html`<div class="soft" style="margin-top:4px;font-size:13px;line-height:18px;color:#5b6470;">Undo:</div>`, code(undo)]}`;
}

function code(text: string): Html {
  return html`<div class="code" style="margin-top:4px;padding:8px 10px;background-color:#f3f4f6;border:1px solid #e4e7eb;border-radius:4px;${mono};font-size:13px;line-height:19px;color:#16181c;white-space:pre-wrap;overflow-wrap:anywhere;">${text}</div>
`;
}

function facts({ facts: all }: Message): Html {
  const rows = all.map(
    ({ label, value }) =>
      html`<tr><td class="soft" width="38%" valign="top" style="padding:3px 12px 3px 0;${sans};font-size:14px;line-height:20px;color:#5b6470;">${label}</td><td class="ink" valign="top" style="padding:3px 0;${sans};font-size:14px;line-height:20px;color:#16181c;overflow-wrap:anywhere;">${value}</td></tr>
`,
  );
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin-top:4px;">
${rows}</table>`;
}

function evidence(text: string): Html {
  return html`<div class="soft" style="margin-top:4px;${mono};font-size:12px;line-height:18px;color:#5b6470;overflow-wrap:anywhere;">${text}</div>
`;
}

function historyItem(at: string, text: string): Html {
  return html`<div class="ink" style="${body}font-size:14px;line-height:20px;"><span class="soft" style="color:#5b6470;">${at}</span>  ${text}</div>
`;
}

function notices({ notices: all, attention }: Message): Html {
  if (all.length === 0 && attention === undefined) return html``;
  const taken = attention === undefined ? [] : [html`<div>✋ ${attention}</div>`];
  const lines = [...taken, ...all.map((notice) => html`<div>⚠ ${notice}</div>`)];
  return html`<tr><td style="padding:12px 24px 0;"><div class="note" style="padding:8px 12px;background-color:#fdf3d7;color:#6b4e00;border-radius:4px;${sans};font-size:14px;line-height:20px;">${lines}</div></td></tr>`;
}

/** A link that only shows a page: following it changes nothing, so mail scanners may. */
function button({ link, cause, state }: Message): Html {
  if (link === undefined || state === 'RESOLVED' || !/^https?:\/\//.test(link)) return html``;
  return html`<tr><td style="padding:16px 24px 4px;"><a href="${encodeURI(link)}" style="display:inline-block;padding:9px 16px;background-color:#2563b0;color:#ffffff;border-radius:4px;${sans};font-size:14px;line-height:20px;text-decoration:none;">Open the status page</a>${aboutCause(cause?.link)}</td></tr>`;
}

function aboutCause(link: string | undefined): Html {
  if (link === undefined || !/^https?:\/\//.test(link)) return html``;
  return html` <a href="${encodeURI(link)}" style="display:inline-block;padding:9px 8px;${sans};font-size:14px;line-height:20px;">About this cause</a>`;
}

function links({ links: all }: Message): readonly Html[] {
  return all
    .filter(({ url }) => /^https?:\/\//.test(url))
    .map(
      ({ label, url }, index) =>
        html`${index === 0 ? html`<br>` : ' · '}<a href="${url}" class="soft" style="color:#5b6470;">${label}</a>`,
    );
}

function footer(message: Message, now: Date): string {
  const { name, cause, confidence, evidenceReadAt, product, state } = message;
  return [
    name,
    ...(cause === undefined ? [] : [`${cause.code}: ${cause.title}`]),
    ...(state === 'RESOLVED' ? [] : [confidence]),
    ...(evidenceReadAt === undefined ? [] : [`evidence read ${evidenceReadAt}`]),
    openedWords(message, now),
    product,
  ]
    .filter((each) => each !== '')
    .join(' · ');
}
