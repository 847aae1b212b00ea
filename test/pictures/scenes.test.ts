import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rootCause } from '../../functions/core/alerts/root-cause.ts';
import { incidentOf } from './incident-of.ts';
import { jointScenes } from './joint-scenes.ts';
import { messagesPage } from './messages-page.ts';
import { runMessage } from './run-message.ts';
import { scenes } from './scenes.ts';
import { sequencePage } from './sequence-page.ts';
import { waitingPage } from './waiting-page.ts';

const docs = join(import.meta.dirname, '../../docs');

test('[N-16] the page of docs/windows.md says what the gates of the product say, and its picture is there and small', async () => {
  const page = await waitingPage();

  expect(page).toContain('no allow window is open: allow 0 22 * * 2 for 8 h (Europe/Berlin): Tuesday nights');
  expect(page).toContain('1 of 2 approvals');
  expect(readFileSync(join(docs, 'windows.md'), 'utf8')).toContain('(pictures/status-waiting.png)');
  expect(statSync(join(docs, 'pictures/status-waiting.png')).size).toBeLessThan(150_000);
});

test('[S2-23] the page of docs/sequences.md says what the steps wait for, and its picture is there and small', async () => {
  const page = await sequencePage();

  expect(page).toContain('sc ocs-storagecluster-ceph-rbd is not there');
  expect(page).toContain('Held back: wave 5 is not healthy');
  expect(readFileSync(join(docs, 'sequences.md'), 'utf8')).toContain('(pictures/sequence.png)');
  expect(statSync(join(docs, 'pictures/sequence.png')).size).toBeLessThan(150_000);
});

describe('the messages that are shown as pictures', () => {
  test.each(scenes)('[N-12] [S1-4] $name: the rules find $code and say what to do', async (scene) => {
    const incident = await incidentOf(scene, 1);

    const [first] = incident.trouble?.findings ?? [];
    const root = first && rootCause(first);
    expect(root?.code).toBe(scene.code);
    expect(incident.trouble?.findings.flatMap(everyTitle).length).toBeGreaterThan(0);
  });

  test('docs/messages.md shows each of them, and the pictures are there and small', () => {
    expect(readFileSync(join(docs, 'messages.md'), 'utf8')).toBe(messagesPage());
    const files = scenes.flatMap(({ name }) =>
      ['slack', 'mail'].map((form) => `pictures/messages/${name}-${form}.png`),
    );
    files.push(...jointScenes.map(({ name }) => `pictures/messages/${name}-slack.png`));
    files.push(`pictures/messages/${runMessage.name}-slack.png`);
    expect(files.filter((file) => !existsSync(join(docs, file)))).toEqual([]);
    expect(files.filter((file) => statSync(join(docs, file)).size > 150_000)).toEqual([]);
  });
});

interface Told {
  readonly because: readonly Told[];
  readonly remedies: readonly { readonly title: string }[];
}

function everyTitle({ because, remedies }: Told): readonly string[] {
  return [...because.flatMap(everyTitle), ...remedies.map(({ title }) => title)];
}
