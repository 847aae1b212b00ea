import { fieldManager } from './hold.ts';

/** oc and kubectl, whose verbs are in the name. Source: kubectl pkg/cmd, `--field-manager` of each command. A Job by
 *  one of them looks like a person. */
const byCommandLine = /^(?:kubectl|oc)(?:\.exe)?(?:-[a-z-]+)?$/;

/** Browsers (the console), Argo CD's own pages, and tools on people's machines: without `--field-manager`, the API
 *  server takes the first part of the user agent. Lens writes as `node-fetch`. Ours: whoever resumes by our commands
 *  is noted by name. */
const ofPeople: readonly string[] = [
  'Mozilla',
  'argocd-server',
  'k9s',
  'Lens',
  'OpenLens',
  'Freelens',
  'node-fetch',
  fieldManager,
];

/** Whether a person wrote a pool, as far as its field manager tells; undefined: the API server names none, as of a
 *  field that was taken out. */
export function isOfPerson(manager: string | undefined): boolean {
  return manager !== undefined && (byCommandLine.test(manager) || ofPeople.includes(manager));
}

/** The same of a person who did not use our commands. */
export function isOfOtherPerson(manager: string | undefined): boolean {
  return manager !== fieldManager && isOfPerson(manager);
}
