import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stage } from '../infra/synthesised.ts';

const root = join(import.meta.dirname, '../..');
const security = readFileSync(join(root, 'docs/security.md'), 'utf8');

/** The rows of "The entrances": what stands in each column. */
const rows = (security.split('## The entrances')[1] ?? '')
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| entrance'))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

/** Where each limit of a body is written down. */
const limits: Readonly<Record<string, string>> = {
  'POST /github': 'functions/receive-github/receive-github.ts',
  'POST /argocd': 'functions/receive-argocd/receive-argocd.ts',
  'POST /cluster': 'functions/receive-cluster/receive-cluster.ts',
  'POST /handshake': 'functions/handshake/handshake.ts',
  'ANY /fleet-lock/{proxy+}': 'functions/fleet-lock/fleet-lock.ts',
  'POST /callbacks/{id}': 'functions/receive-callback/receive-callback.ts',
  'POST /slack': 'functions/receive-slack/receive-slack.ts',
};

describe('[N-30] the table of entrances in docs/security.md', () => {
  test('names every route that is deployed, and no other', () => {
    const named = rows?.flatMap(([entrance = '']) =>
      [...entrance.matchAll(/`((?:ANY|GET|POST) \/[\w/{}+-]+)`/g)].map(([, key]) => key),
    );
    const deployed = stage('prod')
      .ofType('AWS::ApiGatewayV2::Route')
      .map(({ Properties }) => String(Properties.RouteKey));

    expect(named?.toSorted()).toEqual(deployed.toSorted());
  });

  test.each(Object.entries(limits))('gives the size of a body of %s as the code has it', (key, file) => {
    const code = readFileSync(join(root, file), 'utf8');
    const product = /[bB]odyAtMostBytes = ([\d *]+);/.exec(code)?.[1] ?? '';
    const bytes = product.split('*').reduce((all, factor) => all * Number(factor), 1);
    const row = rows?.find(([entrance = '']) => entrance.includes(`\`${key}\``))?.join(' ') ?? '';
    const [, size = '', unit = ''] = /(\d+) (MiB|KiB)/.exec(row) ?? [];

    expect(bytes).toBeGreaterThan(1);
    expect(Number(size) * (unit === 'MiB' ? 1024 * 1024 : 1024)).toBe(bytes);
  });

  test('names a test for every entrance', () => {
    const without = rows?.filter((cells) => !/`test\/[\w./-]+\.test\.ts`/.test(cells.at(-1) ?? ''));

    expect(rows?.length).toBeGreaterThanOrEqual(11);
    expect(without).toEqual([]);
  });
});
