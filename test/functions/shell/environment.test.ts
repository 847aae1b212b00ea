import { expect, it } from 'vitest';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import {
  HandshakeEnvironment,
  ReceiveGithubEnvironment,
  readEnvironment,
} from '../../../functions/shell/environment.ts';

it('reads what the function needs and nothing else', () => {
  const env = {
    POOLKEEPER_STAGE: 'dev',
    WORK_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/work',
    GITHUB_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:1:secret:github',
    AWS_SESSION_TOKEN: 'x',
  };

  const read = readEnvironment(ReceiveGithubEnvironment, env);

  expect(read).toEqual({
    POOLKEEPER_STAGE: 'dev',
    WORK_QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/work',
    GITHUB_SECRET_ARN: 'arn:aws:secretsmanager:us-east-1:1:secret:github',
  });
});

it('names every key that is missing or wrong at once, and never a value', () => {
  const env = {
    POOLKEEPER_STAGE: 'dev',
    WORK_QUEUE_URL: 'hunter2',
    ALERT_QUEUE_URL: '',
    TABLE_NAME: ' ',
    BUS_NAME: 'bus',
  };

  const read = () => readEnvironment(HandshakeEnvironment, env);

  expect(read).toThrow(Misconfigured);
  expect(read).toThrow(
    new Misconfigured([
      'environment variable WORK_QUEUE_URL is not valid',
      'environment variable TABLE_NAME is not valid',
      'environment variable ALERT_QUEUE_URL is not valid',
      'environment variable HANDSHAKE_TOKEN_SECRET_ARN is missing',
    ]),
  );
  expect(read).not.toThrow('hunter2');
});
