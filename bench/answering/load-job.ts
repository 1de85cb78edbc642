/** The requests of the load client to one path of one server. */
export interface LoadJob {
  /** `http://127.0.0.1:5001`; with several the connections are spread over them. */
  readonly baseUrls: readonly string[];
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Forms, sent in this order; a run ends early when all were sent. */
  readonly bodies: readonly string[];
  /** True if the first form follows the last one. */
  readonly isRepeated: boolean;
  /** Text that a right answer contains. */
  readonly expected: string;
  /** Whether the texts of the right answers are wanted. */
  readonly areTextsKept?: boolean;
  /** Connections that are kept; one request at a time on each. */
  readonly connections: number;
  /** Seconds in front of the measured time. */
  readonly warmUp: number;
  /** Seconds that are measured. */
  readonly seconds: number;
}

/** The result of a job. */
export interface LoadResult {
  /** Seconds that were measured: less than those of the job where the forms were used up. */
  readonly seconds: number;
  /** Milliseconds of each right answer in the measured time, from the arrival of the request to its answer's end. */
  readonly milliseconds: Float64Array;
  /** The texts of the right answers, if wanted. */
  readonly texts: readonly string[];
  /** Right answers, with those of the warm-up. */
  readonly answered: number;
  /** Other answers, with those of the warm-up. */
  readonly failed: number;
  /** The first answer that was not right. */
  readonly failure: string | undefined;
  /** CPU time that the client used in a second. */
  readonly cpu: number;
}
