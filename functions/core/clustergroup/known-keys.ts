import type { Entry } from './entries.ts';
import { type Remark, trap } from './remark.ts';

/** Keys that the chart 0.9.55 reads, by section. */
const known = {
  subscriptions: [
    'annotations',
    'channel',
    'channels',
    'config',
    'csv',
    'disabled',
    'installPlanApproval',
    'name',
    'namespace',
    'namespaces',
    'sequenceJob',
    'serviceAccountName',
    'source',
    'sourceNamespace',
    'upgradeConstraintPolicy',
    'version',
  ],
  sequenceJob: [
    'command',
    'disabled',
    'hookType',
    'image',
    'resourceName',
    'resourceNamespace',
    'resourceType',
    'syncWave',
  ],
  applications: [
    'annotations',
    'argoProject',
    'chart',
    'chartVersion',
    'disabled',
    'extraHubClusterDomainFields',
    'extraLocalClusterDomainFields',
    'extraNamespaceFields',
    'extraPatternNameFields',
    'extraRepoURLFields',
    'extraTargetRevisionFields',
    'extraValueFiles',
    'fileParameters',
    'ignoreDifferences',
    'kustomize',
    'name',
    'namespace',
    'overrides',
    'path',
    'plugin',
    'project',
    'repoURL',
    'syncPolicy',
    'targetRevision',
  ],
  namespaces: ['annotations', 'disabled', 'labels', 'operatorGroup', 'targetNamespaces'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Sections whose keys the schema checks in the list form. */
const strict: readonly string[] = ['subscriptions', 'sequenceJob'];

/** Keys without effect: dropped in silence in the map form, an error of the chart in the list form. */
export function unknownKeys(section: keyof typeof known, { entry, at, form }: Entry): readonly Remark[] {
  const keys: readonly string[] = known[section];
  return Object.keys(entry)
    .filter((key) => !keys.includes(key))
    .map((key) => {
      const like = keys.find((each) => isLike(each, key) || (each === 'source' && key === 'catalogSource'));
      const meant = meantText(key, like);
      return form === 'list' && strict.includes(section)
        ? trap('chart-refuses-key', `${at}.${key}`, `the chart refuses this key in the list form${meant}`)
        : trap('key-without-effect', `${at}.${key}`, `the chart drops this key in silence${meant}`);
    });
}

function meantText(key: string, like: string | undefined): string {
  if (/^sync-?wave$/i.test(key)) return '; a wave is the annotation argocd.argoproj.io/sync-wave';
  return like === undefined ? '' : `; did you mean ${like}?`;
}

/** Another spelling of a key: capitals, a plural, one letter more, less or other. */
function isLike(key: string, given: string): boolean {
  const [a, b] = [key.toLowerCase(), given.toLowerCase()];
  if (Math.abs(a.length - b.length) > 1) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const rest = [a.slice(same), b.slice(same)] as const;
  return rest[0].slice(1) === rest[1].slice(1) || rest[0] === rest[1].slice(1) || rest[0].slice(1) === rest[1];
}
