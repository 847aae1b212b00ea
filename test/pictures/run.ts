import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mailMessage } from '../../functions/core/alerts/message/mail.ts';
import { slackMessage } from '../../functions/core/alerts/message/slack.ts';
import { slackJoint } from '../../functions/core/alerts/message/slack-joint.ts';
import { firing, resolved, sampleNow } from '../functions/core/alerts/samples.ts';
import { slackPage } from '../functions/core/alerts/slack-page.ts';
import { underWay, waitsForAPerson } from '../functions/status/run-sample.ts';
import { sampleStatusPage } from '../functions/status/status-sample.ts';
import { startChromium } from './chromium.ts';
import { incidentOf } from './incident-of.ts';
import { jointScenes } from './joint-scenes.ts';
import { messagesPage } from './messages-page.ts';
import { pullRequestPage } from './pull-request-page.ts';
import { runMessage, runMessagePage } from './run-message.ts';
import { runsPage } from './runs-page.ts';
import { type MessageScene, sceneNow, scenes } from './scenes.ts';
import { sequencePage } from './sequence-page.ts';
import { alone, pairWidth, sideBySide } from './side-by-side.ts';
import { waitingPage } from './waiting-page.ts';

/** `npm run pictures [-- NAME...]`: looks at the status page with axe, draws docs/pictures/messages/, the messages of
 *  the README, its status page and pull request, and the page of docs/windows.md, and writes docs/messages.md. */
const docs = join(import.meta.dirname, '../../docs');
const folder = join(docs, 'pictures/messages');

const context = {
  now: sceneNow,
  occasion: 'opened',
  statusUrl: 'https://poolkeeper.example.com/status',
  product: 'poolkeeper 0.1.0',
  deliveryId: 'picture',
  domain: 'example.com',
  buttons: true,
} as const;

const occasions = { blocked: 'opened', resolved: 'resolved' } as const;

/** Incidents have had numbers before. */
const firstNumber = 1423;

async function pagesOf(scene: MessageScene, number: number) {
  const incident = await incidentOf(scene, number);
  return {
    slack: slackPage([{ blocks: slackMessage(incident, context).blocks, thread: false }]),
    mail: mailMessage(incident, incident.notes, context).html,
  };
}

/** The drain of the README, firing and resolved, as a desk shows it. */
const resolvedAt = new Date('2026-03-02T14:48:50.000Z');
const samples = (['blocked', 'resolved'] as const).flatMap((state) => {
  const incident = state === 'blocked' ? firing : resolved;
  const at = { ...context, now: state === 'blocked' ? sampleNow : resolvedAt, occasion: occasions[state] };
  return [
    {
      name: `slack-drain-${state}`,
      width: 720,
      page: slackPage([{ blocks: slackMessage(incident, at).blocks, thread: false }]),
    },
    { name: `mail-drain-${state}`, width: 660, page: mailMessage(incident, incident.notes, at).html },
  ];
});

/** Pixels of a browser's window on a desk. */
const waitingWidth = 1200;
/** Pixels of the conversation on GitHub, on a desk. */
const pullRequestWidth = 820;
/** Chromium has no narrower window. */
const phoneWidth = 500;

/** Pixels of the status page that the README shows. */
const firstScreens = 1600;

/** The status page, with all that it can show, as a desk and a phone show it in both themes. Throws for what axe finds
 *  above minor. */
async function auditPages(): Promise<void> {
  const pages = { sample: await sampleStatusPage(), waiting: await waitingPage() };
  const found: string[] = [];
  for (const [name, page] of Object.entries(pages))
    for (const width of [waitingWidth, phoneWidth])
      for (const theme of ['light', 'dark'] as const)
        for (const finding of await chromium.audit(page, { width, theme }))
          found.push(`${name}, ${width} px, ${theme}: ${finding}`);
  if (found.length > 0) throw new Error(`axe finds:\n${found.join('\n')}`);
  process.stdout.write('axe finds nothing above minor on the status page, in both themes.\n');
}

const wanted = process.argv.slice(2);
await mkdir(folder, { recursive: true });
await writeFile(join(docs, 'messages.md'), messagesPage());
const chromium = await startChromium();
try {
  await auditPages();
  for (const [index, scene] of scenes.entries()) {
    if (wanted.length > 0 && !wanted.includes(scene.name)) continue;
    for (const [form, page] of Object.entries(await pagesOf(scene, firstNumber + index))) {
      const file = join(folder, `${scene.name}-${form}.png`);
      await chromium.draw(sideBySide(page), { file, width: pairWidth });
      process.stdout.write(`${scene.name}-${form}.png ${Math.round((await stat(file)).size / 1024)} KiB\n`);
    }
  }
  for (const { name, content } of jointScenes) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const { blocks } = slackJoint(await content(), context, 'full');
    const page = slackPage([{ blocks, thread: false }]);
    await chromium.draw(sideBySide(page), { file: join(folder, `${name}-slack.png`), width: pairWidth });
  }
  if (wanted.length === 0 || wanted.includes(runMessage.name)) {
    const file = join(folder, `${runMessage.name}-slack.png`);
    await chromium.draw(sideBySide(await runMessagePage(context)), { file, width: pairWidth });
  }
  if (wanted.length === 0 || wanted.includes('pull-request')) {
    const file = join(docs, 'pictures/pull-request.png');
    await chromium.draw(alone(await pullRequestPage(), pullRequestWidth), { file, width: pullRequestWidth });
  }
  if (wanted.length === 0 || wanted.includes('sequence')) {
    const file = join(docs, 'pictures/sequence.png');
    await chromium.draw(alone(await sequencePage(), waitingWidth), { file, width: waitingWidth });
  }
  if (wanted.length === 0 || wanted.includes('node-by-node')) {
    const file = join(docs, 'pictures/node-by-node.png');
    await chromium.draw(alone(await runsPage(underWay, waitsForAPerson), waitingWidth), { file, width: waitingWidth });
  }
  if (wanted.length === 0 || wanted.includes('status-waiting')) {
    const file = join(docs, 'pictures/status-waiting.png');
    await chromium.draw(alone(await waitingPage(), waitingWidth), { file, width: waitingWidth });
  }
  for (const [name, width, scheme] of [
    ['status-wide', waitingWidth, 'light'],
    ['status-dark', waitingWidth, 'dark'],
    ['status-phone', phoneWidth, 'light'],
  ] as const) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const file = join(docs, `pictures/${name}.png`);
    await chromium.draw(alone(await sampleStatusPage(), width, { highest: firstScreens, scheme }), { file, width });
  }
  for (const { name, width, page } of samples) {
    if (wanted.length === 0 || wanted.includes(name))
      await chromium.draw(alone(page, width), { file: join(docs, `pictures/${name}.png`), width });
  }
} finally {
  await chromium.close();
}
