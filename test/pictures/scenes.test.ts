import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rootCause } from '../../functions/core/alerts/root-cause.ts';
import { incidentOf } from './incident-of.ts';
import { jointScenes } from './joint-scenes.ts';
import { messagesPage } from './messages-page.ts';
import { scenes } from './scenes.ts';

const docs = join(import.meta.dirname, '../../docs');

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
