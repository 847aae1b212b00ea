import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startOpenShift } from '../../local/openshift/index.ts';
import { buildReferenceWorld } from '../../local/openshift/reference-world.ts';
import { useLab } from './harness/lab.ts';
import { removeFolder, temporaryFolder } from './harness/leave-nothing.ts';
import { runCommand } from './toolchain/run-command.ts';

const { toolchain } = useLab();

const machineConfig = {
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfig',
  metadata: { name: '99-worker-own', labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
  spec: { kernelArguments: ['own=1'] },
};

test('[N-32] with the kubeconfig of the playground the real kubectl gets, labels, patches and applies', async () => {
  const openshift = await startOpenShift({ secure: true });
  const folder = await temporaryFolder('playground');
  onTestFinished(async () => {
    await openshift.stop();
    await removeFolder(folder);
  });
  buildReferenceWorld(openshift);
  const kubeconfig = join(folder, 'kubeconfig');
  await openshift.writeKubeconfig(kubeconfig);
  const env = { KUBECONFIG: kubeconfig, HOME: folder };
  const kubectl = (line: string) =>
    runCommand({ file: 'bash', args: ['-ec', `'${toolchain.kubectl}' ${line}`], env }).then((said) => said.trim());

  const pools = await kubectl('get mcp -o name');
  const nodes = await kubectl('get nodes --no-headers');
  const labeled = await kubectl('label node worker-0 disk=ssd');
  const patched = await kubectl(`patch mcp worker --type merge -p '{"spec":{"paused":true}}'`);
  const applied = await kubectl(`apply -f - <<'END'\n${JSON.stringify(machineConfig)}\nEND`);

  expect(pools.split('\n').map((name) => name.split('/')[1])).toEqual(['master', 'worker']);
  expect(nodes.split('\n')).toHaveLength(6);
  expect([labeled, patched, applied]).toEqual([
    'node/worker-0 labeled',
    'machineconfigpool.machineconfiguration.openshift.io/worker patched',
    'machineconfig.machineconfiguration.openshift.io/99-worker-own created',
  ]);
});
