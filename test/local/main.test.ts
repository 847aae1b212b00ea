import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deliveriesTo } from '../../local/demo/deliveries.ts';
import { pushPayload } from '../../local/openshift/argocd/push-payload.ts';
import type { OpenShift } from '../../local/openshift/index.ts';
import { startReferenceWorld } from './openshift/start-reference-world.ts';
import { openPrograms } from './program.ts';

describe('npm start', () => {
  test('says every problem of the command line and ends with 2', async () => {
    const { start } = await openPrograms(onTestFinished);
    const program = start(['--port', 'x', '--speed', 'fast']);

    expect(await program.ended).toBe(2);
    expect(program.output()).toMatch(/--port x[\s\S]*--speed fast/);
  });

  test('[C-8] says every problem of a configuration, with its place, and ends with 2', async () => {
    const { start, folder } = await openPrograms(onTestFinished);
    const file = join(folder(), 'poolkeeper.yaml');
    await writeFile(
      file,
      'clusters:\n  - name: prod\n    api: {server: http://example.com, tokenSecret: prod}\n    polcy: {}\nargocd: [{name: a, cluster: nowhere}]\n',
    );

    const program = start(['--config', file]);

    expect(await program.ended).toBe(2);
    expect(program.output()).toMatch(/:\d+:\d+ .*http/);
    expect(program.output()).toContain('did you mean');
    expect(program.output()).toContain('names no cluster of this file');
  });

  test('says that a kubeconfig cannot be read, or that its cluster does not answer', async () => {
    const { start, folder } = await openPrograms(onTestFinished);
    const dead = join(folder(), 'dead.json');
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    await writeFile(
      dead,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [cluster],
        users: [{ name: 'u', user: { token: 't' } }],
        contexts: [context],
        'current-context': 'x',
      }),
    );

    const missing = start(['--kubeconfig', join(folder(), 'nowhere')]);
    const unreachable = start(['--kubeconfig', dead, '--port', '0']);

    expect([await missing.ended, await unreachable.ended]).toEqual([2, 1]);
    expect(missing.output()).toContain('nowhere');
    expect(unreachable.output()).not.toMatch(/\n\s+at /);
  });

  test('keeps the pools of a kubeconfig’s cluster, with the Argo CD that it finds there', {
    timeout: 60_000,
  }, async () => {
    const { start, folder } = await openPrograms(onTestFinished);
    const world = await startReferenceWorld({ gitOrigin: 'https://github.com' });
    const { openshift } = world;
    onTestFinished(() => openshift.stop());
    const kubeconfig = join(folder(), 'kubeconfig');
    await openshift.writeKubeconfig(kubeconfig);

    const program = start(['--kubeconfig', kubeconfig, '--port', '0'], { POOLKEEPER_GITHUB_SECRET: 'old,new' });
    const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)/);
    await until(() => openshift.argocd.application('platform-machine-config')?.status?.sync?.status === 'Synced');
    const { push } = deliveriesTo(statusUrl.replace('/status', ''), { github: 'new', argocd: '' });
    const delivered = await push(pushPayload(world.pushChange()));
    await until(() => paused(openshift));

    expect(program.output()).toMatch(/pool worker +is managed/);
    expect(program.output()).toMatch(/pool master +is only watched/);
    expect(program.output()).toContain('Argo CD openshift-gitops in openshift-gitops');
    expect(delivered.status).toBe(202);
    program.signal('SIGINT');
    expect(await program.ended).toBe(0);
  });
});

async function paused({ url, token }: OpenShift): Promise<boolean> {
  const path = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker';
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const pool = (await answer.json()) as { readonly spec: { readonly paused?: boolean } };
  return pool.spec.paused === true;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
