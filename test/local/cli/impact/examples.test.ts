import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ImpactDocument } from '../../../../functions/core/impact/report/json.ts';
import { impact } from '../../../../local/cli/impact/impact.ts';

interface Example {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly answer: string;
}

const page = await readFile(new URL('../../../../docs/impact.md', import.meta.url), 'utf8');
const examples = (page.split(/^## Examples$/m)[1] ?? '').split(/^### /m).slice(1).map(exampleOf);

function exampleOf(section: string): Example {
  const block = (name: string) =>
    new RegExp(`^\`\`\`yaml ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section)?.[1] ?? '';
  return {
    title: section.slice(0, section.indexOf('\n')),
    before: block('before'),
    after: block('after'),
    answer: /^Answer: `([^`]+)`$/m.exec(section)?.[1] ?? '',
  };
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-examples-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the examples of docs/impact.md', () => {
  test('are as many as the page has answers', () => {
    expect(examples.length).toBeGreaterThan(5);
    expect(examples.filter(({ answer }) => answer === '')).toEqual([]);
  });

  test.each(examples)('[S1-15] $title: $answer', async ({ title, before, after, answer }) => {
    for (const [side, text] of Object.entries({ before, after })) {
      await mkdir(join(folder, title, side), { recursive: true });
      if (text !== '') await writeFile(join(folder, title, side, 'example.yaml'), text);
    }
    const out: string[] = [];

    await impact.run(['--dir', join(folder, title, 'before'), join(folder, title, 'after'), '--output', 'json'], {
      out: (text) => out.push(text),
      note: () => {},
      environment: {},
      now: () => new Date(0),
    });

    const pools = ImpactDocument.parse(JSON.parse(out.join(''))).clusters.flatMap((cluster) => cluster.pools);
    const disturbed = pools.filter(({ update }) => update !== 'nothing');
    const told = disturbed.map(({ pool, class: is }) => `${pool}: ${is ?? 'unknown'}`).toSorted();
    expect(told.length === 0 ? 'nothing' : told.join(', ')).toBe(answer);
  });
});
