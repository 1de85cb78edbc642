import { Alert, Button, List } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { explainTexts } from './explain-texts.ts';
import type { Answer } from './question.ts';

interface RefusalProps {
  readonly answer: Answer & { readonly refusal: NonNullable<Answer['refusal']> };
}

/** The policies that would give the right with one action more, each with the way to it. */
function Remedies({
  refusal: { right },
  remedies = [],
}: Pick<RefusalProps['answer'], 'refusal' | 'remedies'>): ReactNode {
  const t = useTexts(explainTexts);
  const mayWrite = useSession().may('system', 'write');
  const action = right?.action ?? '';
  return (
    remedies.length > 0 && (
      <>
        <p>{t.remedies}</p>
        <List size="sm">
          {remedies.map((policy) => (
            <List.Item key={policy}>
              {t.remedy(action, policy)}{' '}
              {mayWrite && (
                <Button
                  size="compact-sm"
                  variant="default"
                  component={Link}
                  href={`/policies/edit/${encodeURIComponent(policy)}/with/${encodeURIComponent(action)}`}
                >
                  {t.toPolicy(policy)}
                </Button>
              )}
            </List.Item>
          ))}
        </List>
      </>
    )
  );
}

/** The refused request, and whether the policies are still those of then. */
export function Refusal({
  answer: { refusal, administrator, client, changes, remedies },
}: RefusalProps): ReactNode {
  const t = useTexts(explainTexts);
  const format = useFormat();
  return (
    <Alert
      color="blue"
      title={t.wasRefused(refusal.endpoint, administrator ?? '', client, format.time(refusal.at))}
    >
      {refusal.is_by_api_token && <p>{t.apiToken}</p>}
      <Remedies refusal={refusal} remedies={remedies ?? []} />
      {refusal.right === undefined && <p>{t.unnamed}</p>}
      <p>
        {t.asNow} {changes === undefined ? t.unseen : changes.length === 0 ? t.unchanged : t.changed}
      </p>
      {changes !== undefined && changes.length > 0 && (
        <List size="sm">
          {changes.map(({ policy, kind, administrator: by, at }) => (
            <List.Item key={`${policy} ${at}`}>{t.change(policy, kind, by, format.time(at))}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
