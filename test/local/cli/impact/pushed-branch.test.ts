import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aClone, anApplication, type Clone } from './a-clone.ts';

let clone: Clone;

afterEach(() => clone.remove());

const reboots = { status: 3, text: expect.stringContaining('(through openshift-gitops/nodes) Pool worker') };
const none = 'No Application that was read follows';
const notKnown = 'no Application that was read follows it, and whether anything deploys this is not known';

describe('the branch that --from names', () => {
  beforeEach(async () => {
    clone = await aClone('release-4.17');
    await clone.record(anApplication('nodes', { targetRevision: 'release-4.17' }));
    clone.git('update-ref', 'refs/remotes/origin/release-4.17', 'release-4.17');
    clone.git('update-ref', 'refs/remotes/origin/main', 'release-4.17');
    clone.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    clone.git('tag', 'v1', 'release-4.17');
  });

  test.each(['release-4.17', 'heads/release-4.17', 'refs/heads/release-4.17', 'origin/release-4.17'])(
    '[S1-15] [N-29] %s is the one that is pushed to',
    async (from) => {
      expect(await clone.predict('--from', from)).toMatchObject(reboots);
    },
  );

  test('[S1-15] gives way to --branch', async () => {
    const { status, text } = await clone.predict('--from', 'release-4.17', '--branch', 'main');

    expect(status).toBe(0);
    expect(text).toContain(`${none} branch main of github.com/acme/platform; those of it follow release-4.17`);
  });

  test('[S1-15] is not the one that Applications follow: that is known, and told', async () => {
    const { status, text } = await clone.predict('--from', 'origin/main');

    expect(status).toBe(0);
    expect(text).toContain('No pool is re-rendered.');
    expect(text).toContain(`${none} branch main of github.com/acme/platform; those of it follow release-4.17`);
  });

  test.each(['v1', 'topic~1'])(
    '[S1-15] [N-29] %s is none, so that the default branch is assumed, which --branch ends',
    async (from) => {
      const { status, text } = await clone.predict('--from', from);

      expect(status).toBe(3);
      expect(text).toContain(`branch main of github.com/acme/platform: ${notKnown} (--branch or --everything)`);
    },
  );

  test('[S1-15] [N-29] of another remote is one of that repository', async () => {
    clone.git('remote', 'set-url', 'origin', 'git@github.com:ada/platform.git');
    clone.git('remote', 'add', 'up/stream', 'https://github.com/acme/platform.git');
    clone.git('update-ref', 'refs/remotes/up/stream/release-4.17', 'release-4.17');

    expect(await clone.predict('--from', 'up/stream/release-4.17')).toMatchObject(reboots);
    await clone.record(anApplication('nodes', { targetRevision: 'HEAD' }));
    expect(await clone.predict('--from', 'up/stream/release-4.17')).toMatchObject({
      text: expect.stringContaining('git remote set-head up/stream --auto'),
    });
  });
});

describe('where nobody follows what the change is pushed to', () => {
  beforeEach(async () => {
    clone = await aClone('master');
    const follow = { targetRevision: 'master' };
    await clone.record(anApplication('nodes', follow), anApplication('web', { path: 'web', targetRevision: 'dev' }));
  });

  const where = `branch main of github.com/acme/platform`;

  test.each([
    ['text', `No pool is known to be re-rendered; what is unknown may do it. Unknown ${where}: ${notKnown}`],
    ['json', `"path": "${where}", "why": "${notKnown}`],
    ['markdown', `\`${where}\` could not be judged: ${notKnown}`],
  ])('[S1-15] [N-29] says so in %s, and --fail-on counts it', async (output, words) => {
    const { status, text } = await clone.predict('--from', 'topic~1', '--output', output);

    expect(status).toBe(3);
    expect(text).toContain(words);
    expect(text).not.toContain('no node is disrupted');
  });

  test('[S1-15] [N-29] of a fork, too, without the password of its address', async () => {
    clone.git('remote', 'set-url', 'origin', 'https://ada:hunter2@github.com/ada/platform.git');
    const fork = await clone.predict('--from', 'topic~1');

    expect(fork).toMatchObject({
      status: 3,
      text: expect.stringContaining(`main of github.com/ada/platform: ${notKnown} (--branch, --url or --everything)`),
    });
    expect(fork.text).not.toContain('hunter2');
    expect(await clone.predict('--from', 'master')).toMatchObject({
      status: 3,
      text: expect.stringContaining(`master of github.com/ada/platform: ${notKnown} (--url or --everything)`),
    });
    expect(await clone.predict('--from', 'master', '--url', 'https://github.com/acme/platform')).toMatchObject(reboots);
  });

  test('[S1-15] [N-29] does not so where other Applications follow it, for other files', async () => {
    expect(await clone.predict('--from', 'master', '--branch', 'dev')).toMatchObject({
      status: 0,
      text: expect.stringContaining('No pool is re-rendered.'),
    });
  });

  test('[S1-15] [N-29] does not know which branch is the default one, and that this may be it', async () => {
    await clone.record(anApplication('nodes', { targetRevision: 'HEAD' }));

    expect(await clone.predict('--from', 'master')).toMatchObject(reboots);
  });

  test.each([
    [
      'an ordinary manifest',
      { 'web/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n' },
      0,
      'No pool is re-rendered.',
    ],
    ['a text for people', { 'README.md': 'MachineConfigs' }, 0, 'No pool is re-rendered.'],
    [
      'an ordinary chart',
      { 'web/Chart.yaml': 'name: a\n', 'web/values.yaml': 'a: 1\n' },
      0,
      'what is unknown may do it',
    ],
    [
      'a template',
      { 'web/Chart.yaml': 'name: a\n', 'web/templates/a.yaml': '{{ a }}\nkind: MachineConfig\n' },
      3,
      where,
    ],
    [
      'nodes of other hands',
      { 'web/np.yaml': 'apiVersion: hypershift.openshift.io/v1beta1\nkind: NodePool\nmetadata: { name: a }\n' },
      3,
      where,
    ],
  ])('[S1-15] [N-29] counts %s by what it has', async (_, files, status, words) => {
    clone.git('checkout', '-q', '-b', 'other', 'master');
    for (const [path, text] of Object.entries(files)) await clone.write(path, text);
    clone.git('add', ...Object.keys(files));
    clone.git('commit', '-q', '-m', 'other');

    expect(await clone.predict('--from', 'topic~1', '--to', 'other')).toMatchObject({
      status,
      text: expect.stringContaining(words),
    });
  });

  test('[S1-15] says nothing of it with --everything, which asks no Application', async () => {
    const { text } = await clone.predict('--from', 'topic~1', '--everything');

    expect(text).toContain('Pool worker');
    expect(text).not.toContain(notKnown);
  });
});

describe('where branch and repository are named', () => {
  const url = ['--url', 'https://github.com/acme/platform'];

  beforeEach(async () => {
    clone = await aClone('main');
  });

  test.each([
    ['v1.4.0', 'main'],
    ['1.x', 'main'],
    ['0123456789012345678901234567890123456789', 'main'],
    ['refs/heads/prod', 'staging'],
  ])('[S1-15] Applications that follow %s leave a change of %s harmless, which is told', async (followed, branch) => {
    await clone.record(anApplication('nodes', { targetRevision: followed }));

    for (const flags of [
      ['--branch', branch],
      ['--branch', branch, ...url],
    ])
      for (const output of ['text', 'json', 'markdown']) {
        const { status, text } = await clone.predict('--from', 'topic~1', ...flags, '--output', output);

        expect(status).toBe(0);
        expect(text).not.toContain(notKnown);
        expect(text).toContain(`${none} branch ${branch} of github.com/acme/platform; those of it follow `);
      }
  });

  test('[S1-15] [N-29] a cluster with a repository of its own needs that of the change named', async () => {
    await clone.record(anApplication('nodes', { repoURL: 'https://github.com/acme/other-cluster' }));

    expect(await clone.predict('--from', 'main', '--branch', 'main')).toMatchObject({
      status: 3,
      text: expect.stringContaining(`${notKnown} (--url or --everything)`),
    });
    expect(await clone.predict('--from', 'main', ...url)).toMatchObject({
      status: 0,
      text: expect.stringContaining(`${none} branch main of github.com/acme/platform; none is of it`),
    });
  });

  test('[S1-15] a text for people is nothing to tell it of', async () => {
    clone.git('checkout', '-q', '-b', 'other', 'main');
    await clone.write('README.md', 'MachineConfigs');
    clone.git('add', 'README.md');
    clone.git('commit', '-q', '-m', 'other');
    await clone.record(anApplication('nodes', { targetRevision: 'v1.4.0' }));

    const { text } = await clone.predict('--from', 'main', '--to', 'other');

    expect(text).not.toContain(none);
  });
});

describe('in a clone that does not know its default branch, as actions/checkout leaves it', () => {
  const taken = (branch: string) =>
    `HEAD, which Applications follow, was taken for ${branch}, the branch that is pushed`;
  const follows = (targetRevision: string) => anApplication('nodes', { targetRevision });

  beforeEach(async () => {
    clone = await aClone('develop');
    await clone.record(follows('HEAD'), anApplication('web', { path: 'web', targetRevision: 'develop' }));
  });

  test.each([
    ['develop', ['--from', 'develop']],
    ['develop', ['--from', 'develop', '--branch', 'develop']],
    ['develop', ['--from', 'topic~1', '--branch', 'develop']],
    ['main', ['--from', 'topic~1', '--branch', 'main']],
    ['release-4.17', ['--from', 'topic~1', '--branch', 'release-4.17']],
    ['main', ['--from', 'topic~1']],
  ])('[S1-15] [N-29] HEAD is taken for the pushed branch, and told so: %s of %s', async (branch, flags) => {
    for (const output of ['text', 'json', 'markdown']) {
      const { status, text } = await clone.predict(...flags, '--output', output);

      expect(status).toBe(3);
      expect(text).toContain('openshift-gitops/nodes');
      expect(text).toContain(taken(branch));
      expect(text).toContain('git remote set-head origin --auto');
    }
  });

  test('[S1-15] [N-29] HEAD of other files hides no Application without a word', async () => {
    await clone.record(follows('develop'), anApplication('web', { path: 'web', targetRevision: 'HEAD' }));

    expect((await clone.predict('--from', 'topic~1', '--branch', 'main')).text).toContain(taken('main'));
  });

  test('[S1-15] [N-29] nothing is guessed once it knows', async () => {
    clone.git('update-ref', 'refs/remotes/origin/develop', 'develop');
    clone.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop');

    const same = await clone.predict('--from', 'develop', '--branch', 'develop');
    const other = await clone.predict('--from', 'develop', '--branch', 'release-4.17');

    expect(same).toMatchObject({ status: 3, text: expect.stringContaining('openshift-gitops/nodes') });
    expect(other).toMatchObject({
      status: 0,
      text: expect.stringContaining(
        `${none} branch release-4.17 of github.com/acme/platform; those of it follow HEAD (develop) and develop`,
      ),
    });
    for (const { text } of [same, other]) expect(text).not.toContain('was taken for');
  });

  test('[S1-15] nothing is told where no Application of it follows HEAD, or the change is for people', async () => {
    const elsewhere = { repoURL: 'https://github.com/acme/other', targetRevision: 'HEAD' };
    clone.git('checkout', '-q', '-b', 'other', 'develop');
    await clone.write('nodes/README.md', 'MachineConfigs');
    clone.git('add', 'nodes/README.md');
    clone.git('commit', '-q', '-m', 'other');

    const forPeople = await clone.predict('--from', 'develop', '--to', 'other');
    await clone.record(follows('develop'), anApplication('web', elsewhere));
    const named = await clone.predict('--from', 'develop');

    expect(forPeople.text).not.toContain('was taken for');
    expect(named.text).toContain('openshift-gitops/nodes');
    expect(named.text).not.toContain('was taken for');
  });
});

describe('of two folders, which know no default branch', () => {
  const url = ['--url', 'https://github.com/acme/platform'];
  const web = (targetRevision: string) => anApplication('web', { path: 'web', targetRevision });

  beforeEach(async () => {
    clone = await aClone('main');
    await clone.record(anApplication('nodes', { targetRevision: 'HEAD' }), web('release-4.17'));
  });

  test('[S1-15] a branch that is seldom the default one is not HEAD, which is told with what ends it', async () => {
    const { status, text } = await clone.predictFolders(...url, '--branch', 'release-4.17');

    expect(status).toBe(0);
    expect(text).toContain('No pool is re-rendered.');
    expect(text).toContain('HEAD, which Applications follow, was taken for main: which one is the default branch');
    expect(text).toContain('give a clone that knows it (--repo)');
    expect(text).not.toContain('set-head');
  });

  test.each([[['--branch', 'main']], [['--branch', 'master']], [[]]])(
    '[S1-15] [N-29] HEAD is main or master where that is pushed to, and nothing is told: %s',
    async (flags) => {
      expect(await clone.predictFolders(...url, ...flags)).toMatchObject({
        ...reboots,
        text: expect.not.stringMatching(/was taken for|set-head/),
      });
    },
  );

  test('[S1-15] nothing is told of a release where no Application of the repository follows HEAD', async () => {
    await clone.record(anApplication('nodes', { targetRevision: 'release-4.17' }), web('main'));

    expect(await clone.predictFolders(...url, '--branch', 'release-4.17')).toMatchObject({
      ...reboots,
      text: expect.not.stringContaining('was taken for'),
    });
  });

  test('[S1-15] nobody follows what is pushed to: that is told with what helps without a clone', async () => {
    await clone.record(anApplication('nodes', { targetRevision: 'HEAD' }));

    const { status, text } = await clone.predictFolders(...url, '--branch', 'release-4.17');

    expect(status).toBe(0);
    expect(text).toContain(`${none} branch release-4.17 of github.com/acme/platform; those of it follow HEAD (main)`);
    expect(text).toContain('give a clone that knows it (--repo)');
    expect(text).not.toContain('set-head');
  });
});
