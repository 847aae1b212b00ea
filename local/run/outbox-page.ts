import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OutboxEntry, readOutbox, versionName } from '../../functions/adapters/messengers/outbox.ts';
import type { SlackForm } from '../../functions/core/alerts/message.ts';
import { type Html, html, styleElement, textOf } from '../../functions/status/html.ts';
import { style } from '../../functions/status/page/style.ts';
import { slackBlocks } from './outbox-blocks.ts';

/** Every message of the run with its replies, newest first, and each in every version: what would have been sent. */
export async function outboxPage(directory: string): Promise<string> {
  const entries = await readOutbox(directory);
  const parents = entries.filter(({ thread }) => thread === undefined).toReversed();
  const articles = await Promise.all(
    parents.map((parent) =>
      threadOf(
        directory,
        parent,
        entries.filter(({ thread }) => thread === parent.name),
      ),
    ),
  );
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Outbox – Poolkeeper</title>
${styleElement(style)}
</head>
<body>
<main>
<h1>Outbox</h1>
<p>What people would have been sent: in Slack, where a message is edited in place, and by mail. <a href="/status">Status</a></p>
${articles.length === 0 ? html`<p class="card calm">No message yet.</p>` : articles}
</main>
</body>
</html>
`);
}

async function threadOf(directory: string, parent: OutboxEntry, replies: readonly OutboxEntry[]): Promise<Html> {
  const shown = await Promise.all(replies.map(async (reply) => messageOf(directory, reply)));
  return html`
<article class="card" id="${parent.name}">
${await messageOf(directory, parent)}
${replies.length > 0 && html`<details><summary>${replies.length} ${replies.length === 1 ? 'reply' : 'replies'} in its thread</summary>${shown}</details>`}
</article>`;
}

/** As it is now; how it was before is folded. */
async function messageOf(directory: string, { name, edits, writtenAt, occasion, subject }: OutboxEntry): Promise<Html> {
  const now = await versionOf(directory, name, edits);
  const earlier = await Promise.all(
    Array.from({ length: edits }, (_, index) => versionOf(directory, name, edits - 1 - index)),
  );
  return html`<section>
<p class="mute">${name} · ${occasion} · sent ${writtenAt.slice(0, 19).replace('T', ' ')} UTC${edits > 0 && ` · edited ${edits} ${edits === 1 ? 'time' : 'times'}`}</p>
${now}
${subject !== '' && html`<p>Mail: <a href="/outbox/${versionName(name, edits)}.html">${subject}</a> · <a href="/outbox/${versionName(name, edits)}.txt">text part</a></p>`}
${edits > 0 && html`<details><summary>How it was before</summary>${earlier.map((each, index) => html`<h4>Version ${edits - index}</h4>${each}`)}</details>`}
</section>`;
}

async function versionOf(directory: string, name: string, version: number): Promise<Html> {
  const file = join(directory, `${versionName(name, version)}.json`);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return html`<p class="mute">Only sent by mail.</p>`;
  const form: SlackForm = JSON.parse(text);
  return html`${slackBlocks(form)}`;
}

/** One part of a mail, as it was sent. Undefined: there is no such message. */
export async function mailPart(directory: string, file: string): Promise<string | undefined> {
  // The name of a version and nothing that leads elsewhere.
  if (!/^\d{4}(?:-r\d{2})?\.v\d{1,4}\.(?:html|txt)$/.test(file)) return undefined;
  return readFile(join(directory, file), 'utf8').catch(() => undefined);
}
