import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aClone, anApplication, type Clone } from './a-clone.ts';

let clone: Clone;

afterEach(() => clone.remove());

const reboots = { status: 3, text: expect.stringContaining('(through openshift-gitops/nodes) Pool worker') };
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
    const { text } = await clone.predict('--from', 'release-4.17', '--branch', 'main');

    expect(text).toContain(`branch main of github.com/acme/platform: ${notKnown}`);
  });

  test.each(['v1', 'topic~1', 'origin/HEAD', 'origin/main'])(
    '[S1-15] %s is none or the default branch, which it is then',
    async (from) => {
      const { status, text } = await clone.predict('--from', from);

      expect(status).toBe(3);
      expect(text).toContain(`branch main of github.com/acme/platform: ${notKnown}`);
    },
  );

  test('[S1-15] [N-29] of another remote is one of that repository', async () => {
    clone.git('remote', 'set-url', 'origin', 'git@github.com:ada/platform.git');
    clone.git('remote', 'add', 'up/stream', 'https://github.com/acme/platform.git');
    clone.git('update-ref', 'refs/remotes/up/stream/release-4.17', 'release-4.17');

    expect(await clone.predict('--from', 'up/stream/release-4.17')).toMatchObject(reboots);
  });
});

describe('where nobody follows what the change is pushed to', () => {
  beforeEach(async () => {
    clone = await aClone('master');
    await clone.record(anApplication('nodes'), anApplication('web', { path: 'web', targetRevision: 'dev' }));
  });

  const where = `branch master of github.com/acme/platform`;

  test.each([
    ['text', `No pool is known to be re-rendered; what is unknown may do it. Unknown ${where}: ${notKnown}`],
    ['json', `"path": "${where}", "why": "${notKnown}`],
    ['markdown', `\`${where}\` could not be judged: ${notKnown}`],
  ])('[S1-15] [N-29] says so in %s, and --fail-on counts it', async (output, words) => {
    const { status, text } = await clone.predict('--from', 'master', '--output', output);

    expect(status).toBe(3);
    expect(text).toContain(words);
    expect(text).not.toContain('no node is disrupted');
  });

  test('[S1-15] [N-29] of a fork, too, without the password of its address', async () => {
    clone.git('remote', 'set-url', 'origin', 'https://ada:hunter2@github.com/ada/platform.git');
    const fork = await clone.predict('--from', 'topic~1');

    expect(fork).toMatchObject({
      status: 3,
      text: expect.stringContaining(`main of github.com/ada/platform: ${notKnown}`),
    });
    expect(fork.text).not.toContain('hunter2');
    expect(await clone.predict('--from', 'topic~1', '--url', 'https://github.com/acme/platform')).toMatchObject(
      reboots,
    );
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

    expect(await clone.predict('--from', 'master', '--to', 'other')).toMatchObject({
      status,
      text: expect.stringContaining(words),
    });
  });

  test('[S1-15] says nothing of it with --everything, which asks no Application', async () => {
    const { text } = await clone.predict('--from', 'master', '--everything');

    expect(text).toContain('Pool worker');
    expect(text).not.toContain(notKnown);
  });
});
