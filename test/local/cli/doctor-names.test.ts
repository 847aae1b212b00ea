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
