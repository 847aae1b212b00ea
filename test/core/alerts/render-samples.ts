import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mailMessage } from '../../../functions/core/alerts/message/mail.ts';
import { slackMessage, slackReply } from '../../../functions/core/alerts/message/slack.ts';
import { firing, resolved, sampleNow } from './samples.ts';
import { slackPage } from './slack-page.ts';

/** Writes the messages of a drain that a PodDisruptionBudget blocks, firing and resolved, as pages to look at.
 *  `node test/core/alerts/render-samples.ts DIR` */
const [directory] = process.argv.slice(2);
if (directory === undefined) {
  process.stderr.write('usage: node test/core/alerts/render-samples.ts DIR\n');
  process.exit(2);
}

const later = new Date('2026-03-02T14:48:50.000Z');
const base = {
  statusUrl: 'https://poolkeeper.example.com/status',
  product: 'poolkeeper 0.1.0',
  deliveryId: 'sample',
  domain: 'example.com',
};
const opening = { ...base, now: sampleNow, occasion: 'opened' } as const;
const ending = { ...base, now: later, occasion: 'resolved' } as const;

const evidence = slackReply(firing, firing.notes, opening);
const end = slackReply(resolved, resolved.notes.slice(2), ending);

const files: Readonly<Record<string, string>> = {
  'slack-firing.html': slackPage([{ blocks: slackMessage(firing, opening).blocks, thread: false }]),
  'slack-thread.html': slackPage([
    { blocks: slackMessage(firing, opening).blocks, thread: false },
    ...(evidence === undefined ? [] : [{ blocks: evidence.blocks, thread: true }]),
  ]),
  'slack-resolved.html': slackPage([
    { blocks: slackMessage(resolved, ending).blocks, thread: false },
    ...(end === undefined ? [] : [{ blocks: end.blocks, thread: true }]),
  ]),
  'mail-firing.html': mailMessage(firing, firing.notes, opening).html,
  'mail-firing.txt': mailMessage(firing, firing.notes, opening).text,
  'mail-resolved.html': mailMessage(resolved, resolved.notes, ending).html,
  'mail-resolved.txt': mailMessage(resolved, resolved.notes, ending).text,
};

mkdirSync(directory, { recursive: true });
for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
