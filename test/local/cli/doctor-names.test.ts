import { expect, test } from 'vitest';
import { Transient } from '../../../functions/core/text/errors.ts';
import { checkNames } from '../../../local/cli/doctor/check-names.ts';
import { anApplication } from '../../fakes/index.ts';

const about = 'Argo CD hub';

function following(...urls: readonly string[]) {
  const [source] = anApplication().sources;
  const sources = source === undefined ? [] : urls.map((repoURL) => ({ ...source, repoURL }));
  return { listApplications: async () => ({ items: [anApplication({ sources })], unreadable: [] }) };
}

const names = {
  isAsked: (name: string) => name.startsWith('github.com/'),
  isKept: () => false,
  nameNow: async (name: string) => {
    if (name.endsWith('/slow')) throw new Transient('no answer in 4 s');
    if (name.endsWith('/hidden')) return undefined;
    return name.endsWith('/old') ? 'github.com/acme/new' : name;
  },
};

test('[N-29] an Application that names a repository as it was called before is told', async () => {
  const argocd = following('https://github.com/acme/old.git', 'git@github.com:acme/new', 'https://gitlab.com/acme/old');

  expect(await checkNames(about, argocd, names)).toEqual([
    {
      state: 'warning',
      about,
      what: 'repositories: GitHub calls github.com/acme/old github.com/acme/new now',
      remedy: 'the name of today in spec.source.repoURL',
    },
  ]);
});

test.each([
  ['nothing of GitHub', ['https://gitlab.com/acme/old'], []],
  ['the names of today', ['https://github.com/acme/new'], [{ state: 'ok' }]],
  ['a name that GitHub has none of', ['https://github.com/acme/hidden'], [{ state: 'unchecked' }]],
  ['no answer', ['https://github.com/acme/slow', 'https://github.com/acme/new'], [{ state: 'unchecked' }]],
])('[N-29] %s', async (_, urls, found) => {
  const findings = await checkNames(about, following(...urls), names);

  expect(findings).toHaveLength(found.length);
  expect(findings).toMatchObject(found);
});

/** Applications, in the order of the list, with the repositories that they name. */
function listing(applications: Readonly<Record<string, readonly string[]>>) {
  const [source] = anApplication().sources;
  const items = Object.entries(applications).map(([place, followed]) => {
    const [namespace = '', name = ''] = place.split('/');
    const sources = source === undefined ? [] : followed.map((each) => ({ ...source, repoURL: `https://${each}` }));
    return anApplication({ namespace, name, sources });
  });
  return { listApplications: async () => ({ items, unreadable: [] }) };
}

const many = (count: number, name: string) => Array.from({ length: count }, (_, n) => `github.com/tenant-${n}/${name}`);
const ours = 'GitHub calls github.com/acme/old github.com/acme/new now';

test.each([
  ['of another namespace', 'team/a', 20],
  ['of another Application of its namespace', 'openshift-gitops/a', 20],
  ['of another namespace, where not all are asked for', 'team/a', 200],
])('[N-29] many earlier names %s hide none of others, and how many more there are is told', async (_, place, count) => {
  const argocd = listing({ [place]: many(count, 'old'), 'openshift-gitops/nodes': ['github.com/acme/old'] });

  const told = (await checkNames(about, argocd, names)).map(({ state, what }) => `${state} ${what}`);

  expect(told).toContain(`warning repositories: ${ours}`);
  expect(told.filter((each) => each.startsWith('warning repositories: GitHub calls'))).toHaveLength(20);
  expect(told).toContain(`warning repositories: and ${Math.min(count + 1, 100) - 20} more are called otherwise now`);
});

test('[N-29] an earlier name is found behind names of today of another namespace, and named by its turn', async () => {
  const argocd = listing({
    'team/a': many(200, 'old'),
    'openshift-gitops/nodes': [...many(30, 'new'), 'github.com/acme/old'],
  });

  const told = (await checkNames(about, argocd, names)).map(({ what }) => what);

  expect(told).toContain(`repositories: ${ours}`);
});

test('[N-29] names are not said to be right where some were not asked for', async () => {
  const argocd = following(...many(101, 'new').map((each) => `https://${each}`));

  expect(await checkNames(about, argocd, names)).toEqual([
    { state: 'unchecked', about, what: 'repositories: 1 more than the 100 that are asked for', remedy: undefined },
  ]);
});
