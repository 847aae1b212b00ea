import { Alerts } from './alerts.ts';
import { ArgoCds } from './argocd.ts';
import { Clusters } from './cluster.ts';
import { mapping, type Values } from './fields.ts';
import { FleetLock } from './fleet-lock.ts';
import { Github } from './github.ts';
import { NodeTurns } from './node-turns.ts';
import { Sequences } from './sequence.ts';

/** `poolkeeper.yaml` after validation, with every default filled in, as it is bundled with the functions. Keys, bounds,
 *  defaults and descriptions are in the schema of each section and nowhere else.
 *  To add a section: its schema in a file of this folder and a line here; how it is written in `poolkeeper.yaml`
 *  (`fileForm` of the schema) in a file of the same name in functions/shell/configuration/file/, and a line in
 *  configuration-file.ts there. Tests demand the rest: docs/configuration.md and `npm run schemas`. */
export const Configuration = mapping({
  clusters: Clusters,
  argocd: ArgoCds,
  alerts: Alerts,
  github: Github,
  sequences: Sequences,
  nodeTurns: NodeTurns,
  fleetLock: FleetLock.optional(),
});
export type Configuration = Values<typeof Configuration>;
