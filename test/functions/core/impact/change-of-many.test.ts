import { describe, expect, test } from 'vitest';
import type { ApplicationSource } from '../../../../functions/core/argocd/application.ts';
import { anyChangedFile, changeOf } from '../../../../functions/core/impact/change-of.ts';
import { pushIndexOf } from '../../../../functions/core/impact/push-index.ts';
import { nothingSeen, unjudgedOf } from '../../../../functions/core/impact/unjudged.ts';
import type { ToolFolder } from '../../../../functions/core/routing/changed-file.ts';
import { pathRuleOf } from '../../../../functions/core/routing/generate-paths.ts';
import type { ParsedFile } from '../../../../functions/core/routing/manifest-file.ts';
import type { ParsedFiles } from '../../../../functions/core/routing/parsed-files.ts';
import { anApplication } from '../../../fakes/index.ts';
import { fc, runs } from '../../../property.ts';

const root: ApplicationSource = { repoURL: 'https://github.com/acme/a', path: '', targetRevision: 'HEAD', chart: '' };

/** A file that adds an object of its own name. */
function added(path: string, isWhole = true): ParsedFile {
  const head = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', name: path };
  const manifests = [{ ...head, labels: {}, annotations: {}, body: {} }];
  return { path, before: { kind: 'absent' }, after: { kind: 'read', manifests, isWhole } };
}

function ask(sources: readonly ApplicationSource[], read: ParsedFiles, generatePaths?: string) {
  const own = sources.map((each) => ({ ...each }));
  return changeOf({ sources: own, concerned: own, generatePaths }, read);
}

const folder = fc.constantFrom('', 'a', 'a/b', 'a-b', 'b', 'a/b/c', 'b/crds', 'b/templates');
const name = fc.constantFrom('x.yaml', 'y.yaml', 'kustomization.yaml', 'z.txt', 'v.json', 'Chart.yaml');
const path = fc.tuple(folder, name).map(([where, file]) => (where === '' ? file : `${where}/${file}`));
const file = fc.tuple(path, fc.boolean()).map(([where, isWhole]) => added(where, isWhole));
const tool: fc.Arbitrary<ToolFolder> = fc.oneof(
  fc.record({ folder, tool: fc.constantFrom('kustomize', 'helm', 'jsonnet', 'plugin') }),
  fc.record({ folder, tool: fc.constant('kustomize'), uses: fc.array(fc.oneof(folder, path), { maxLength: 2 }) }),
  fc.record({ folder: path, tool: fc.constantFrom('link', 'submodule') }),
);
const source = fc
  .record({
    path: fc.constantFrom('', 'a', 'a/b', './b/', 'a/b/c', 'b'),
    kind: fc.constantFrom<Partial<ApplicationSource>>(
      ...[{}, {}, { tool: 'helm' as const }, { tool: 'kustomize' as const }, { tool: 'plugin' as const }],
      ...[{ ref: 'values' }, { chart: 'c' }, { hydration: 'hydrated' as const }],
      { directory: { recurse: true, include: '', exclude: 'b*' } },
      { directory: { recurse: false, include: '*.yaml', exclude: '' } },
    ),
  })
  .map(({ path: at, kind }) => ({ ...root, path: at, ...kind }));

describe('[N-30] what a push of many files changes for many sources', () => {
  test('is of each file what it would be of that file alone', () => {
    const files = fc.uniqueArray(file, { maxLength: 8, selector: ({ path: at }) => at });
    const [tools, sources] = [fc.array(tool, { maxLength: 5 }), fc.array(source, { minLength: 1, maxLength: 3 })];
    const generatePaths = fc.constantFrom(undefined, '.', '/a;x.yaml', '../b', '/*/x.yaml', '/a/b/*.yaml;/b');
    fc.assert(
      fc.property(files, tools, sources, generatePaths, (changed, used, asked, annotation) => {
        const read = { tools: used, incomplete: undefined };
        const all = ask(asked, { ...read, files: changed }, annotation);
        const each = changed.map((one) => ask(asked, { ...read, files: [one] }, annotation));

        const sorted = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).toSorted();
        expect(sorted(all.manifests)).toEqual(sorted(each.flatMap(({ manifests }) => manifests)));
        expect(sorted(all.unknown)).toEqual(sorted(each.flatMap(({ unknown }) => unknown)));
      }),
      { numRuns: runs(1_500) },
    );
  });

  test.each([
    ['a plain folder', {}, undefined],
    ['all below a folder', { directory: { recurse: true, include: '', exclude: '' } }, undefined],
    ['a kustomization', { tool: 'kustomize' as const }, undefined],
    ['what an annotation names', { tool: 'helm' as const }, '.'],
  ])('is found without a look at each of them by each source: %s', (_, kind, generatePaths) => {
    let looks = 0;
    const looked = <T>(at: T): T => {
      looks += 1;
      return at;
    };
    const files = Array.from({ length: 1_000 }, (_file, nth): ParsedFile => {
      const at = `vendor/${nth % 10}/${nth}.yaml`;
      return Object.defineProperty({ ...added(at) }, 'path', { get: () => looked(at) });
    });
    const read = { files, tools: [], incomplete: undefined };

    const changes = Array.from({ length: 1_000 }, (_source, nth) =>
      ask([{ ...root, path: `teams/${nth}/nodes`, ...kind }], read, generatePaths),
    );

    expect(changes.filter(({ manifests, unknown }) => manifests.length + unknown.length > 0)).toEqual([]);
    expect(looks).toBeLessThan(20 * files.length);
  });

  test('is all of it, and told as such, once all sources have looked at too many; not where none is in question', () => {
    const node = added('nodes/a.yaml');
    const texts = Array.from({ length: 10_000 }, (_, nth) => ({ ...added(`docs/${nth}.txt`), after: node.before }));
    const read = { files: [node, ...texts], tools: [], incomplete: undefined };
    const chart = { ...root, chart: 'c' };

    const [first] = Array.from({ length: 201 }, () => ask([chart], read));
    const beyond = ask([chart], read);
    const [own, others] = ['nodes', 'elsewhere'].map((each) => ask([{ ...root, path: each }], read));

    expect(first?.unknown).toHaveLength(10_001);
    const why = 'more files changed than are compared with all sources';
    expect(beyond.unknown).toEqual([{ path: anyChangedFile, why }]);
    expect(beyond.manifests.map(({ after }) => after?.name)).toEqual(['nodes/a.yaml']);
    expect([own?.manifests.length, own?.unknown, others]).toEqual([1, [], { manifests: [], unknown: [] }]);
  });

  test('counts of each file by itself then: what is moved into a folder is new there', () => {
    const is = added('nodes/a.yaml');
    const was = { path: 'drafts/a.yaml', before: is.after, after: is.before };
    const texts = Array.from({ length: 10_000 }, (_, nth) => ({ ...added(`nodes/${nth}.txt`), after: is.before }));
    const read = { files: [was, is, ...texts], tools: [], incomplete: undefined };
    const chart = { ...root, chart: 'c' };
    const all = { ...root, path: 'nodes', directory: { recurse: true, include: '', exclude: '' } };

    const within = ask([all], read);
    for (let nth = 0; nth < 201; nth += 1) ask([chart], read);
    const beyond = ask([all], read);

    expect(beyond.unknown.map(({ path: at }) => at)).toEqual([anyChangedFile]);
    const [manifest] = is.after.kind === 'read' ? is.after.manifests : [];
    expect(within.manifests).toEqual([{ before: undefined, after: manifest, files: ['nodes/a.yaml'] }]);
    expect(beyond.manifests).toEqual([
      { before: undefined, after: manifest, files: ['nodes/a.yaml'] },
      { before: manifest, after: undefined, files: ['drafts/a.yaml'] },
    ]);
  });

  test.each(['/vendor', '/*', '/x;/?*'])(
    'keeps no list of them for each of a thousand annotations: %s',
    (annotation) => {
      const at = annotation === '/vendor' ? 'vendor/' : '';
      const files = Array.from({ length: 5_000 }, (_, nth) => added(`${at}${nth}.txt`));
      const { named } = pushIndexOf({ files, tools: [], incomplete: undefined });
      const rules = Array.from({ length: 1_000 }, () =>
        pathRuleOf(root, { sources: [{ ...root }], generatePaths: annotation }, { left: 1_000 }),
      );

      const kept = rules.map((rule) => (rule.kind === 'some' ? named(rule)?.size : undefined) ?? 0);

      expect(kept[0]).toBe(files.length);
      expect(kept.reduce((sum, size) => sum + size)).toBeLessThan(2_000_000);
    },
  );

  test.each([
    ['nodes/a.yaml', true],
    ['docs/a.txt', false],
  ])('of which nobody knows may reach nodes as any of its files may: %s, %s', (at, mayBring) => {
    const change = { manifests: [], unknown: [{ path: anyChangedFile, why: 'they are too many' }] };
    const unread = { kind: 'unread' as const, why: 'too many' };
    const files = { files: [{ path: at, before: unread, after: unread }], tools: [], incomplete: undefined };
    const [found] = unjudgedOf(
      [
        {
          application: anApplication({
            resources: [{ group: '', kind: 'Secret', namespace: 'a', name: 'a', status: 'Synced' }],
          }),
          change,
        },
      ],
      { files, applications: [] },
      () => nothingSeen,
    );

    expect(found?.mayBring).toBe(mayBring);
  });
});
