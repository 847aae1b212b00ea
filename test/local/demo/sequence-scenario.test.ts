import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { Status } from '../../../functions/status/status.ts';
import { usePrograms } from '../program.ts';
import { unwrapped } from './unwrapped.ts';

const { start, folder } = usePrograms();

test('[S2-17] [S2-10] [S2-11] [S2-23] plays a sequence: the second operator waits for the class of the first, which comes late', {
  timeout: 150_000,
}, async () => {
  const program = start(['--scenario', 'sequence', '--port', '0', '--data', folder()]);
  const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)#sequence-virtualization/);
  await program.untilOutput(/PK-1 sequence virtualization does not go on\n/);
  const page = await (await fetch(statusUrl, { headers: { accept: 'text/html' } })).text();
  await program.untilOutput(/Ctrl-C ends/);
  const { sequences } = Status.parse(
    await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json(),
  );
  const yaml = await readFile(join(folder(), 'poolkeeper.yaml'), 'utf8');
  program.signal('SIGTERM');

  const steps = [
    /wave 5 begins: Subscription openshift-storage\/odf-operator is applied/,
    /odf-operator.v4.17.2 has succeeded/,
    /waits: sc ocs-storagecluster-ceph-rbd is not there; virtualization is held back/,
    /PK-1 sequence virtualization does not go on/,
    /virtualization is not installed, and no sync of Argo CD stands open/,
    /StorageClass ocs-storagecluster-ceph-rbd is there/,
    /wave 10 begins: Subscription openshift-cnv\/kubevirt-hyperconverged is applied/,
    /sequence virtualization is done/,
    /PK-1 is resolved/,
    /Demo finished/,
    /npx poolkeeper sequence status virtualization \\\n {2}--config/,
  ];
  const positions = steps.map((step) => unwrapped(program.output()).search(step));
  expect(positions).not.toContain(-1);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(page).toContain('id="sequence-virtualization"');
  expect(sequences).toMatchObject([{ name: 'virtualization', state: 'done', waves: [{ wave: 5 }, { wave: 10 }] }]);
  expect(Object.keys(readConfiguration(yaml, { source: 'poolkeeper.yaml' }).sequences ?? {})).toEqual([
    'virtualization',
  ]);
  expect(await program.ended).toBe(0);
});
