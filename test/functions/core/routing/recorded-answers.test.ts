import { describe, expect, test } from 'vitest';
import { admits, constraintOf } from '../../../../functions/core/routing/constraint.ts';
import { globMatches } from '../../../../functions/core/routing/glob.ts';
import { bytesOf } from '../../../../functions/core/routing/go-path.ts';
import { repositoriesOf, repositoryOf } from '../../../../functions/core/routing/repository.ts';
import { routeOf } from '../../../../functions/core/routing/route.ts';
import { routingTable } from '../../../../functions/core/routing/routing-table.ts';
import { versionOf } from '../../../../functions/core/routing/version.ts';
import { anApplication } from '../../../fakes/index.ts';
import { refreshed, webUrlPattern } from './argocd-handler.ts';
import { goMatch } from './go-match.ts';
import { check, parseConstraint, parseVersion } from './masterminds.ts';
import { readRecordedAnswers } from './read-recorded-answers.ts';
import { reasonForMore } from './reason-for-more.ts';
import { isRefreshedInVain } from './refreshed-in-vain.ts';
import { routedPush } from './routed-push.ts';

const { constraints, globs, urls, handler } = readRecordedAnswers();

describe('answers recorded from the real programs', () => {
  test('[N-1] which versions a range admits, from Masterminds/semver', () => {
    const said = constraints.answers.map(([range, tag]) => {
      const [constraint, version] = [constraintOf(range), versionOf(tag)];
      if (constraint === undefined) return [range, tag, 'none'];
      return [range, tag, version === undefined ? 'noversion' : String(admits(constraint, version))];
    });

    expect(said).toEqual(constraints.answers);
  });

  test('[N-1] which files a pattern means, from Go', () => {
    const said = globs.answers.map(([pattern, name]) =>
      globMatches(bytesOf(pattern), bytesOf(name), { left: 100_000 }) === true ? 'true' : 'false',
    );

    expect(said).toEqual(globs.answers.map(([, , answer]) => (answer === 'bad' ? 'false' : answer)));
  });

  test('[S0-12] which URLs are of a repository: at least those that Argo CD matches', () => {
    const matched = urls.answers.filter(([, , answer]) => answer === 'true');

    const missed = matched.filter(([url, html]) => !repositoriesOf(url).includes(repositoryOf(html) ?? ''));

    expect(missed).toEqual([]);
    expect(matched.length).toBeGreaterThan(100);
  });

  test('[S0-12] [N-1] whom the real argocd-server refreshes: we say at least those, and whoever else has a named reason', () => {
    const applications = handler.applications.map(({ name, sources, generatePaths }) =>
      anApplication({
        name,
        uid: `uid-${name}`,
        sources,
        annotations: generatePaths === undefined ? {} : { 'argocd.argoproj.io/manifest-generate-paths': generatePaths },
      }),
    );
    const table = routingTable(applications.map((each) => routeOf(each, 'prod')));

    for (const { refreshed: theirs, ...push } of handler.pushes) {
      const ours = new Set(table.concernedBy(routedPush(push)).map(({ route }) => route.ref.name));

      const missed = applications.filter(({ name }) => theirs.includes(name) && !ours.has(name));
      expect(missed.filter((each) => !isRefreshedInVain(each, push, 'source'))).toEqual([]);
      const more = applications.filter(({ name }) => ours.has(name) && !theirs.includes(name));
      expect(more.filter((each) => reasonForMore(each, push) === undefined)).toEqual([]);
    }
    expect(handler.pushes.flatMap((each) => each.refreshed).length).toBeGreaterThan(200);
  });

  test('are also those of the program that stands for Argo CD in these tests', () => {
    const ranges = constraints.answers.map(([range, tag]) => {
      const [constraint, version] = [parseConstraint(range), parseVersion(tag)];
      if (constraint === undefined) return 'none';
      return version === undefined ? 'noversion' : String(check(constraint, version));
    });
    const ascii = globs.answers.filter(([pattern, name]) => bytesOf(pattern + name) === pattern + name);
    const applications = handler.applications.map(({ name, sources, generatePaths = '' }) =>
      anApplication({ name, sources, annotations: { 'argocd.argoproj.io/manifest-generate-paths': generatePaths } }),
    );

    expect(ranges).toEqual(constraints.answers.map(([, , answer]) => answer));
    expect(ascii.map(([pattern, name]) => goMatch(pattern, name))).toEqual(
      ascii.map(([, , answer]) => answer === 'true'),
    );
    expect(urls.answers.map(([url, html]) => String(webUrlPattern(html)?.test(url)))).toEqual(
      urls.answers.map(([, , answer]) => answer),
    );
    for (const { refreshed: theirs, ...push } of handler.pushes) {
      const names = refreshed(applications, push, 'source').map(({ name }) => name);
      expect(names.toSorted()).toEqual(theirs.toSorted());
    }
  });
});
