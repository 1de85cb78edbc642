import { describedActions } from '../src/policy/policy-actions.ts';
import { POLICY_SCOPES } from '../src/policy/stored-policy.ts';
import { markdownTable } from './markdown-table.ts';

const HEAD = `# Actions of policies

<!-- Written by \`npm run docs:reference\` from src/policy/policy-actions.ts. -->

By scope of [policies](../guides/policies.md), as in \`/admin/policy/names\`. In \`authentication\` an action takes a value
(\`otppin=1\`); quotation marks keep a comma in it (\`issuer="Bank, Branch 2"\`). In the others it is a right, and \`*\` means
all, but for \`selfservice\`.
`;

/** @returns the text of docs/reference/policy-actions.md */
export function policyActionsPage(): string {
  const sections = POLICY_SCOPES.map((scope) => {
    const rows = describedActions(scope).map(({ name, meaning, value }) => [
      `\`${name}\``,
      value === undefined ? meaning : `${meaning}: ${value}`,
    ]);
    return `## ${scope}\n\n${markdownTable(['action', 'meaning'], rows)}`;
  });
  return [HEAD, ...sections].join('\n');
}
