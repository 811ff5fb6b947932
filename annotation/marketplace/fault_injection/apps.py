from django.apps import AppConfig

from annotation.marketplace.core import faults


class FaultInjectionConfig(AppConfig):
    name = "annotation.marketplace.fault_injection"
    label = "fault_injection"
    verbose_name = "Fault injection"

    def ready(self) -> None:
        from annotation.marketplace.fault_injection.plan import StoredPlan

        faults.install(StoredPlan())
