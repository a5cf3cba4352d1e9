import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { RequestError } from "../service.ts";
import { Failure, Loading } from "./states.tsx";

/** A part whose script is loaded when it is opened. */
export const Later = ({ load }: { load: () => Promise<ComponentType> }) => {
  const [part, setPart] = useState<{ Part?: ComponentType; error?: RequestError }>({});
  useEffect(() => {
    load().then(
      (Part) => setPart({ Part }),
      () => setPart({ error: new RequestError("unreachable", 0) }),
    );
  }, [load]);
  if (part.error) return <Failure error={part.error} />;
  return part.Part ? <part.Part /> : <Loading />;
};
