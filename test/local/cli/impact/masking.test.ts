import { expect, test } from 'vitest';
import { asInGit, withoutSecrets } from '../../../../local/cli/impact/masking.ts';

const spec = (key: string) => ({
  kernelArguments: ['nosmt', 'rd.iscsi.password=hunter2'],
  config: {
    passwd: { users: [{ name: 'core', passwordHash: '$6$canary', sshAuthorizedKeys: [] }] },
    storage: {
      files: [
        { path: '/etc/chrony.conf', contents: { source: 'data:,pool%20a.example.com' } },
        { path: '/etc/app/token', contents: { source: `data:,${key}` } },
      ],
    },
    systemd: { units: [{ name: 'app.service', contents: '[Service]\nEnvironment=API_TOKEN=canary\n' }] },
  },
});

test('[S1-17] a recording leaves out whatever the diff would mask, and keeps the rest', () => {
  const text = JSON.stringify(withoutSecrets(spec('canary')));

  expect(text).not.toMatch(/canary|hunter2|\$6\$/);
  expect(text).toContain('pool%20a.example.com');
  expect(text).toContain('nosmt');
  expect(text).toContain('poolkeeper:left-out');
});

test('[S1-15] what was left out is taken to be what Git had, so that it does not look changed', () => {
  const recorded = withoutSecrets(spec('canary'));

  expect(asInGit(recorded, spec('canary'))).toEqual(spec('canary'));
});

test('[S1-15] what Git does not have stays left out, and counts as changed', () => {
  const recorded = withoutSecrets(spec('canary'));

  expect(JSON.stringify(asInGit(recorded, undefined))).toContain('poolkeeper:left-out');
});
