import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { hold } from '../../../local/cli/hold.ts';
import { why } from '../../../local/cli/why/why.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeEach(async () => {
  demo = await demoCluster();
});
afterEach(() => demo.close());

describe('npx poolkeeper why, over HTTP against a live cluster', () => {
  test('x', async () => {
    console.log((await demo.run(why)).text);
    await demo.run(hold, '--pool', 'worker', '--for', '2h', '--reason', 'database migration');
    console.log((await demo.run(why)).text);
    console.log((await demo.run(why, 'worker', '--output', 'json')).text);
  });
});
