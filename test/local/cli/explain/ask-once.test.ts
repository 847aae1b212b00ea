import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { explain } from '../../../../local/cli/explain/explain.ts';
import { record } from '../../../../local/cli/record.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';

let demo: DemoCluster;
/** What the API server is asked, as it arrives. */
const asked: string[] = [];
const proxy = createServer((incoming, outgoing) => {
  asked.push(`${incoming.method} ${incoming.url} ${incoming.headers.accept}`);
  const { method, headers, url } = incoming;
  const onwards = request(`${server}${url}`, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(onwards);
});
let server = '';

beforeAll(async () => {
  demo = await demoCluster();
  await demo.untilBlocked();
  const kubeconfig = await readFile(demo.kubeconfig, 'utf8');
  server = /https?:\/\/127\.0\.0\.1:\d+/.exec(kubeconfig)?.[0] ?? '';
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const { port } = proxy.address() as AddressInfo;
  await writeFile(demo.kubeconfig, kubeconfig.replace(server, `http://127.0.0.1:${port}`));
});

beforeEach(() => {
  asked.length = 0;
});

afterAll(async () => {
  proxy.closeAllConnections();
  await new Promise((done) => proxy.close(done));
  await demo.close();
});

describe('poolkeeper explain of a stuck node', () => {
  test.each([[[]], [['--pool', 'worker']], [['--node', 'worker-2']]])(
    '[N-12] with %j asks the API server nothing twice',
    async (flags) => {
      const { text } = await demo.run(explain, ...flags);

      expect(text).toContain('shop/web');
      expect(asked.length).toBeGreaterThan(15);
      expect(asked).toEqual([...new Set(asked)]);
    },
  );

  test('[N-12] reads the pools before anything else, and stops if they cannot be read', async () => {
    await demo.run(explain, '--pool', 'worker');

    expect(asked[0]).toContain('/machineconfigpools?');
  });

  test('[N-12] looks anew at each look of a recording', async () => {
    const file = `${demo.folder}/followed.jsonl`;
    await demo.run(record, '--follow', '1m', '--every', '1m', '-o', file);

    const applications = asked.filter((each) => each.includes('/argoproj.io/v1alpha1/applications?'));
    expect(applications).toHaveLength(2);
  });
});
