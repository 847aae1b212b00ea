import { Alerts } from './alerts.ts';
import { ArgoCds } from './argocd.ts';
import { Clusters } from './cluster.ts';
import { mapping, type Values } from './fields.ts';
import { Github } from './github.ts';

/** `poolkeeper.yaml` after it was checked, with every default filled in, as it lies in a bundle. One section a file
 *  here, and one line here; its form in the file is derived in functions/shell/configuration/file/. Keys, bounds,
 *  defaults and descriptions stand in the section and nowhere else. */
export const Configuration = mapping({
  clusters: Clusters,
  argocd: ArgoCds,
  alerts: Alerts,
  github: Github,
});
export type Configuration = Values<typeof Configuration>;
