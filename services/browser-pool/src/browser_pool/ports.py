"""The ports that this runner's tools ask for."""

from agent_domain.policies.judging import Policies
from agent_platform.entities.entities import Entities
from agent_tools.context import CallContext
from agent_tools.ports.browser import BrowserPages
from agent_tools.ports.files import AgentFiles
from agent_tools.providers import Provider
from agent_tools.running.gate import RequestGate
from browser_pool.browsing.browser import SessionBrowser
from browser_pool.browsing.pages import SessionPages
from browser_pool.contexts.contexts import Contexts
from browser_pool.handing_over.hand_overs import HandOvers
from browser_pool.handing_over.port import Person


def browser_ports(contexts: Contexts, hand_overs: HandOvers, entities: Entities) -> tuple[Provider, ...]:
    """The session's browser, and whom it is handed to."""
    policies = Policies()

    def gate(call: CallContext) -> RequestGate:
        return RequestGate(entities, call, policies)

    def browser(call: CallContext, files: AgentFiles, gate: RequestGate) -> SessionBrowser:
        return SessionBrowser(contexts, call, files, gate)

    def person(browser: SessionBrowser, call: CallContext) -> Person:
        return Person(hand_overs, browser, call)

    def pages(browser: SessionBrowser, call: CallContext) -> BrowserPages:
        return SessionPages(contexts, browser, call)

    return gate, browser, person, pages
