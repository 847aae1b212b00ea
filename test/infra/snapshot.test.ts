import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { stage } from './synthesised.ts';

it('the template of prod, so that a change to it is seen in review', async () => {
  const template = JSON.stringify(stage('prod').template.toJSON());

  const masked = template.replaceAll(/[0-9a-f]{64}/g, '<asset>');

  await expect(stringify(JSON.parse(masked))).toMatchFileSnapshot('snapshot/poolkeeper-prod.template.yaml');
});
