//! Failures and predictions as findings.

use crate::resolver::{Locks, Resolver, index_of};
use crate::steps::{self, Followed};
use crate::{fixes, fold, kinds};
use foretrace_event::EventId;
use foretrace_report::{Act, Broken, Finding, Kind, Memory, Site, Status, Thread};
use foretrace_search::{Confirmed, Open};

/// What a finding is about.
struct About {
    kind: Kind,
    memory: Option<Memory>,
    broken: Option<Broken>,
}

impl Resolver<'_> {
    pub(crate) fn confirmed(&self, confirmed: &Confirmed) -> Finding {
        let failure = kinds::of_failure(&confirmed.evidence);
        let threads = self.threads(failure.threads());
        let locks = Locks::of(self, failure.locks());
        let sites = failure.sites(self, &threads, &locks);
        let followed = failure.followed(&confirmed.schedule, &sites);
        let kind = Kind::of_rule(confirmed.evidence.rule()).expect("every failure has a rule of reports");
        let about = About { kind, memory: failure.memory(self), broken: failure.broken() };
        let finding = Finding {
            death: failure.death(self),
            repeats: confirmed.repeats.filter(|often| !often.is_always()).map(|often| (often.seen, often.of)),
            ..self.finish(&followed, Status::Confirmed, about, (sites, threads))
        };
        Finding { fixes: fixes::of(self, &finding), ..finding }
    }

    /// A failure caused by a wait that is not in a loop, reported as that.
    pub(crate) fn wait_not_in_loop(&self, confirmed: &Confirmed, failure: &Finding) -> Option<Finding> {
        let wait = confirmed.run.outcome.wait_not_in_loop()?;
        let mut threads = failure.threads.clone();
        if !threads.iter().any(|thread| thread.number == wait.thread) {
            threads.push(self.thread(wait.thread));
        }
        let site = Site {
            thread: index_of(&threads, wait.thread),
            does: Act::Unsignalled { then: vec![failure.title()] },
            stack: self.sources.stack(&wait.stack, self.symbols, self.modules),
            locks: Vec::new(),
        };
        let kind = Kind::WAIT_NOT_IN_LOOP;
        let id = format!("{}-{:08x}", kind.rule(), fold::fingerprint(kind, None, None, std::slice::from_ref(&site)));
        let sites = std::iter::once(site).chain(failure.sites.iter().cloned()).collect();
        Some(Finding { id, kind, memory: None, broken: None, sites, threads, ..failure.clone() })
    }

    pub(crate) fn predicted(&self, open: &Open) -> Finding {
        let (witness, why) = (&open.witness, open.reason.to_string());
        let trace = self.subject.trace;
        let candidate = kinds::of_candidate(&witness.candidate);
        let events = candidate.acts(trace);
        let about = About { kind: candidate.kind(), memory: candidate.memory(trace), broken: candidate.broken() };
        let numbers = events.iter().map(|(id, _)| id.thread.0).collect();
        let threads = self.threads(numbers);
        let site = |(id, does): &(EventId, Act)| Site {
            thread: index_of(&threads, id.thread.0),
            does: does.clone(),
            stack: self.sources.stack(&[trace.pc(*id)], self.symbols, self.modules),
            locks: Vec::new(),
        };
        let sites: Vec<Site> = events.iter().map(site).collect();
        let automaton = candidate.automaton(trace, &witness.schedule);
        let followed = Followed::to_the_end(&witness.schedule, &sites, about.kind == Kind::DEADLOCK);
        let followed = Followed { automaton, ..followed };
        self.finish(&followed, Status::Predicted(why), about, (sites, threads))
    }

    fn finish(
        &self,
        followed: &Followed,
        status: Status,
        About { kind, memory, broken }: About,
        (sites, mut threads): (Vec<Site>, Vec<Thread>),
    ) -> Finding {
        let (steps, picture) = steps::of(self, followed, &sites, &mut threads);
        let name = broken.as_ref().map(|broken| broken.name.as_str());
        let id = format!("{}-{:08x}", kind.rule(), fold::fingerprint(kind, memory.as_ref(), name, &sites));
        let schedule = followed.schedule.to_string();
        let picture = Some(Box::new(picture));
        Finding { id, status, memory, broken, sites, threads, steps, schedule, picture, ..Finding::new(kind) }
    }
}
