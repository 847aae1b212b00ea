import { type JointMessages, nothingJoint } from '../../core/alerts/joint.ts';
import type { JointMessageLists } from '../../ports/tables.ts';
import { fittingBody, readBody } from './body.ts';
import { saveVersion } from './save-version.ts';
import { StoredJointMessages } from './stored/joint-messages.ts';
import type { Table } from './table.ts';

/** Seconds: as long as closed incidents. */
const keepSeconds = 30 * 24 * 3600;

/** One row for each target, under an optimistic lock. */
export function dynamoJointMessages(table: Table): JointMessageLists {
  return {
    async load(target) {
      const row = await table.read(keyOf(target));
      return row === undefined ? nothingJoint : { ...readBody(StoredJointMessages, row), version: row.version };
    },
    save(target, told) {
      const { version } = told;
      return saveVersion(table, { ...keyOf(target), keepSeconds, version, bodyOf: () => fittingBody(told, cuts) });
    },
  };
}

/** By names as long as Kubernetes allows. What is told together stays: others were told in it. */
const cuts = [100, 0].map((newest) => ({ openings, ...told }: JointMessages): JointMessages => {
  return { ...told, openings: newest === 0 ? [] : openings.slice(-newest) };
});

function keyOf(target: string) {
  return { pk: 'joint', sk: target };
}
