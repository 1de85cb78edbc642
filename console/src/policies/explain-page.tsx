import { Anchor } from '@mantine/core';
import { hashKey, skipToken, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'wouter';
import { call } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useFormat } from '../language/format.ts';
import { UnknownPage } from '../shell/unknown-page.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { ExplainForm } from './explain-form.tsx';
import { explainTexts } from './explain-texts.ts';
import { Explanation } from './explanation.tsx';
import { ask, isAskable, type ExplanationForm, isQuestion, questionAt } from './question.ts';

/** Answers what somebody may do, and why a request was refused. */
export default function ExplainPage(): ReactNode {
  const { question } = useParams<{ question?: string }>();
  return isQuestion(question) ? <Explainer /> : <UnknownPage />;
}

function Explainer(): ReactNode {
  const t = useTexts(explainTexts);
  const format = useFormat();
  const params = useParams<{ request?: string; question?: string }>();
  const { administrator } = useSession();
  const first = questionAt(params.request ?? params.question, administrator);
  const [question, setQuestion] = useState<ExplanationForm>(first);
  const [submitted, setSubmitted] = useState(first.kind === 'refusal' ? first : undefined);
  const names = useQuery({
    queryKey: ['policy-names'],
    queryFn: ({ signal }) => call('/admin/policy/names', {}, { signal }),
  });
  const answer = useQuery({
    queryKey: ['policies', 'explained', submitted],
    queryFn: submitted === undefined ? skipToken : ({ signal }) => ask(submitted, format, signal),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <Anchor component={Link} href="/policies">
          {t.back}
        </Anchor>
      }
    >
      <Loaded query={names}>
        {(known) => (
          <ExplainForm
            question={question}
            names={known}
            isAsking={answer.isFetching}
            onChange={setQuestion}
            onAsk={() => {
              if (submitted !== undefined && hashKey([submitted]) === hashKey([question])) {
                void answer.refetch();
              } else if (isAskable(question)) {
                setSubmitted(question);
              }
            }}
          />
        )}
      </Loaded>
      <div aria-live="polite">
        {submitted !== undefined && (
          <Loaded query={answer}>
            {(data) => <Explanation answer={data} scopes={names.data?.scopes ?? []} />}
          </Loaded>
        )}
      </div>
    </Page>
  );
}
