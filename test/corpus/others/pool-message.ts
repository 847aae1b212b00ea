import type { Snapshot } from '../../../local/snapshot/snapshot.ts';
import { at, list, objectsIn, type Statement } from './statement.ts';

/** What the pool itself says, to whoever runs `oc describe mcp`: the messages of its Degraded conditions.
 *  Source: machine-config-operator pkg/controller/node/status.go, pkg/controller/render/render_controller.go. */
export function poolMessage(snapshot: Snapshot): readonly Statement[] {
  return objectsIn(snapshot, '/apis/machineconfiguration.openshift.io/v1/machineconfigpools').flatMap((pool) =>
    list(at(pool, 'status', 'conditions'))
      .filter(({ type, status }) => /Degraded$/.test(type) && status === 'True')
      .map(({ type, message = '' }) => ({
        about: `MachineConfigPool ${at(pool, 'metadata', 'name')}`,
        text: `${type}: ${message}`,
      })),
  );
}
