import { describe, expect, it } from 'vitest';
import { readLogEnd } from '../../../functions/keep-pools/read/read-job-pods.ts';

/** What is told of a log that the API server cuts after as many bytes as it is asked for. */
function endOf(log: string): Promise<string> {
  const reader = {
    read: async ({ query }: { readonly query: Readonly<Record<string, string>> }) => ({
      kind: 'found' as const,
      body: Buffer.from(log).subarray(0, Number(query['limitBytes'])).toString(),
      readAt: new Date('2026-03-02T08:00:00Z'),
    }),
  };
  return readLogEnd('shop', 'move-1', { reader, lines: 5 });
}

describe('[N-29] the end of a log', () => {
  it('is told as it is where nothing is secret', async () => {
    const log = '+ systemctl stop etcd\nprimary not found\n';

    expect(await endOf(log)).toBe(log);
  });

  it('is told to the end of a long line, where the cause is, and without the secrets before it', async () => {
    const log = `fatal: {"stdout": "${'a b '.repeat(700)}", "stderr": "disk sda is gone"}`;

    expect(await endOf(log)).toContain('disk sda is gone');
    expect(await endOf(`${'a b '.repeat(700)} curl -u bob:hunter2 https://a failed`)).toMatch(
      /-u \[masked\] https:\/\/a failed$/,
    );
  });

  it('that is cut within an address is told without the word that was cut', async () => {
    const address = 'https://bob:hunter2';
    const log = `${'x '.repeat(2_000)}\n`;
    const before = `${log}${'y '.repeat((4_096 - log.length - address.length) / 2)} `.slice(0, 4_096 - address.length);

    const told = await endOf(`${before}${address}@example.com/a failed`);

    expect(told).not.toContain('hunter2');
    expect(told).toContain('y y');
  });
});
