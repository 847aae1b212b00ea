/** Applications that a push will create. */
export { applicationExpected, type ExpectedApplication } from './new-applications/expected-application.ts';
export { expectedApplications } from './new-applications/expected-applications.ts';
